"""Code for training only: word classes, augmentation, loggers, and resuming after an interruption."""
