"""Constituents: trees in bracket notation."""
