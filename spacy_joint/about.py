"""Name, versions and addresses of the package, in a module without imports so that the build can read it."""

__title__ = "spacy_joint"
__version__ = "0.2.0"
# The version of the pipelines that are released with this version of the package.
__pipelines_version__ = "0.1.0"
# The addresses of the repository on GitHub and of the documentation, to be set before publishing (and in CITATION.cff):
# metadata, links on PyPI, the site and `spacy joint download` take them from here.
__repository__ = ""
__site__ = ""
