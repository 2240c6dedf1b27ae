"""Arbitrary bytes for all readers of files: one target per format, for `python -m tests.fuzz` and for short tests."""
