"""Chart parsing with probabilistic context-free grammars."""
