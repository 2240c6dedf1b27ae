"""Arbitrary bytes for whatever reads files: a target a format, for `python -m tests.fuzz`, and in short for tests."""
