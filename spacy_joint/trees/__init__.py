"""Constituency trees as plain values, with heads, binarisation and discontinuity: shared by phrases, hedges, charts."""
