"""Files of any format: finding and reading them, and replacing them atomically."""
