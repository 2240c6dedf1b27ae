"""The beam-search structured perceptron: no linguistics; imports neither spaCy nor thinc."""
