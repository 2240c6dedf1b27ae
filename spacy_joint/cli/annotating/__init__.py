"""Commands that annotate text."""
