"""Encoders, and components that predict boundaries, arcs or spans token by token, to guide a search."""
