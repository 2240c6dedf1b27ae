"""The experiments of Björkelund, Faleńska, Seeker & Kuhn (ACL 2016) on free treebanks: see ../reproduce.py."""
