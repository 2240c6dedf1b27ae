"""Markov sequence labelling: `sequence_tagger`."""
