"""Hedge parsing: constituents up to a maximum number of words (Yarmohammadi et al. 2014)."""
