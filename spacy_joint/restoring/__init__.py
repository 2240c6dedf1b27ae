"""Restoring punctuation and capitals: `punctuation_restorer`."""
