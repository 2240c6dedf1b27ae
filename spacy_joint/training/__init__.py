"""What only training needs: word classes, augmentation, loggers, and going on after an interruption."""
