"""Corpus formats and augmenters, one file each."""
