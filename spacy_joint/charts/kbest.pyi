MAX_BEST: int
