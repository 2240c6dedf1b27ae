"""The experiments of Björkelund, Faleńska, Seeker & Kuhn (ACL 2016) on treebanks that are free: see ../reproduce.py."""
