"""Annotation in a `Doc` and as plain values, shared by corpora, tasks and scorers. Nothing here predicts it."""
