"""A hook of MkDocs: the addresses of site and repository are those of the package."""

from pathlib import Path
from runpy import run_path

from mkdocs.config.defaults import MkDocsConfig

ABOUT = run_path(str(Path(__file__).parent.parent / "spacy_joint" / "about.py"))


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Sets the addresses that are known."""
    if ABOUT["__site__"]:
        config.site_url = ABOUT["__site__"].rstrip("/") + "/"
    if ABOUT["__repository__"]:
        config.repo_url, config.repo_name = ABOUT["__repository__"], "GitHub"
    return config
