"""Segmentation before parsing: sequence labelling in which a label gives the type of a word's segment, and whether the
word begins it (B) or not (B').

Kinds of actions: B' of each label; B of a group; B of the other labels. Groups have the label `G`; other segments have
2 to max_span words. Without a label `G`, segments have no types, and only the action of the first word is forced.
"""

from ..tagging.system cimport SequenceSystem


cdef class SegmentSystem(SequenceSystem):
    cdef int max_span
    cdef bint typed
