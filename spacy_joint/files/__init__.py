"""Files whatever is in them: finding and reading them, and replacing them once the new ones are complete."""
