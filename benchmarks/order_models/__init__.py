"""Published systems that order modifiers, for comparison, behind the interface of `base`."""
