"""Work on many processes and machines. Only commands import this package; functions import Ray, which is an extra."""
