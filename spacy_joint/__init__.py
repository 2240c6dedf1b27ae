"""Structured prediction over whole documents for spaCy.

Importing the package is cheap: components are found by spaCy through entry points, and the pretrained pipeline is only
read by `load`.
"""

from .about import __version__

__all__ = ["__version__"]
