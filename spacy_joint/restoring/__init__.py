"""Marks and capitals of text without them: `punctuation_restorer`."""
