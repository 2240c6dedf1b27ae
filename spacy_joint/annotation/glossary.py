"""Descriptions of labels for `spacy.explain`: those that spaCy's own glossary lacks.

glossary.txt has a label and its description per line. Labels with a colon are subtypes of relations of Universal
Dependencies, see https://universaldependencies.org/ext-dep-index.html.
"""

from pathlib import Path

from spacy.glossary import GLOSSARY

FILE = Path(__file__).parent / "glossary.txt"


def extend_glossary() -> None:
    """Adds the descriptions to spaCy's glossary, and keeps those that it has."""
    for line in FILE.read_text(encoding="utf8").splitlines():
        label, description = line.split("\t")
        GLOSSARY.setdefault(label, description)
