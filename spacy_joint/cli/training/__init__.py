"""Commands that learn from corpora."""
