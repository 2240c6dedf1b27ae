"""Tokenizers that follow treebank conventions."""
