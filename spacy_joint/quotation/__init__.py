"""Cues and direct, indirect and mixed quotations."""
