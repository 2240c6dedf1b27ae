"""The interface to spaCy: the base class of components, `Doc` as columns of the engine, the thinc model, streaming."""
