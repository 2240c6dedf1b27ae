"""Segmentation before parsing: sequence labelling in which a label says what kind of segment a word is in, and whether
the word begins it (B) or not (B').

Kinds of actions: B' of each label; B of a group; B of the other labels. Groups are what has the label `G`; a segment
that is no group has 2 to max_span words. Without a label `G` segments have no type, and only the first word is certain.
"""

from ..tagging.system cimport TaggingSystem


cdef class SegmentSystem(TaggingSystem):
    cdef readonly int max_span
    cdef bint typed
