"""Chart parsing with probabilistic context-free grammars (Bodenstab et al. 2011)."""
