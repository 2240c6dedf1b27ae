"""Arbitrary bytes for whatever reads files: a target a format, run by `python -m tests.fuzz`, and shortly by the tests."""
