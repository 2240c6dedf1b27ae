"""`python -m spacy joint serve`: a web page and a JSON API that show the predictions of a pipeline for a text."""

# Defaults: the maximum length of a text, and the maximum seconds to annotate it, enough for the slowest pipeline.
MAX_CHARACTERS, TIMEOUT = 100_000, 30.0
# Host names of this machine only.
LOOPBACK = ("127.0.0.1", "localhost", "::1")
# The tasks of workers.
ANNOTATE, DRAW_TREE, WRITE = "annotate", "draw_tree", "write"
