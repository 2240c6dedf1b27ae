"""Markov sequence labelling: tags, lemmas and morphological features."""
