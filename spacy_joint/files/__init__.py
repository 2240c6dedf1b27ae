"""Finds, reads and decompresses files, and replaces them atomically."""
