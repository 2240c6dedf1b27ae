"""Direct, indirect and mixed quotations, and their cues."""
