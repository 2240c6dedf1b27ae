"""Code for training only: corpora, augmentation, word classes, loops over shards, and finishing."""
