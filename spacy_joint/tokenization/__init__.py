"""Tokenizers: text into the words of a treebank."""
