"""Parsing with charts: see cyk.pyx."""

from .chart cimport Chart
from .posteriors cimport Sums


cdef class ChartParser(Chart):
    cdef Sums sums          # None before they are asked for
