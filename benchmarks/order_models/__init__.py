"""Systems that order modifiers, all behind the interface of `base`: the published ones, to measure against."""
