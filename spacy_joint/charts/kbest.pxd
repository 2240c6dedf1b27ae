"""The best derivations of a chart: see kbest.pyx."""

from libc.stdint cimport int32_t

from .chart cimport Chart


# Lists the best derivations of an entry over all words of a filled chart, which must not change meanwhile: at most k,
# no two with the same constituents.
cdef list list_trees(Chart chart, int32_t top, int32_t k)
