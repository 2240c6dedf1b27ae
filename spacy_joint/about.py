"""Name and version of the package, in a module without imports so that the build can read it."""

__title__ = "spacy_joint"
__version__ = "0.1.0"
