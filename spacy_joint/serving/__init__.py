"""`python -m spacy joint serve`: a page and a JSON API that show what a pipeline finds in a text."""
