"""What spaCy calls: the base class of components, a `Doc` as the engine sees it, the thinc model, streams."""
