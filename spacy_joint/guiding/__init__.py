"""Encoders, and a component that predicts boundaries, heads and labels of tokens independently, to guide a search."""
