"""`python -m spacy joint serve`: a web page and a JSON API that show the predictions of a pipeline for a text."""
