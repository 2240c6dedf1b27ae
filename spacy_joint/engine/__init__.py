"""The structured perceptron with beam search, without linguistics. It imports neither spaCy nor thinc."""
