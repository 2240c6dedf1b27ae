"""Evaluation measures and significance tests, one file each."""
