"""Descriptions for `spacy.explain` of labels that spaCy's glossary lacks.

Each line of glossary.txt has a label and its description. Labels with a colon are subtypes of relations of Universal
Dependencies, see https://universaldependencies.org/ext-dep-index.html.
"""

from pathlib import Path

from spacy.glossary import GLOSSARY

FILE = Path(__file__).parent / "glossary.txt"


def extend_glossary() -> None:
    """Adds the descriptions to spaCy's glossary; existing ones are kept."""
    for line in FILE.read_text(encoding="utf8").splitlines():
        label, description = line.split("\t")
        GLOSSARY.setdefault(label, description)
