"""Arbitrary bytes for all readers of files, one target per format (`python -m tests.fuzz`), and arbitrary calls of
pipelines (`python -m tests.fuzz.calls`); both also as short tests."""
