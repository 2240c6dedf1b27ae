"""The interface to spaCy: base classes of components, `Doc`s as columns of the engine, the thinc model, streaming."""
