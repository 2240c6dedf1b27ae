"""Measures and significance tests, one file each."""
