"""Work on many processes and machines. Only commands import this, and Ray, an extra, is imported in functions."""
