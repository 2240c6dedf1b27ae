"""What all benchmarks share: finding pipelines and treebanks."""

import boundaries
import typer
import whole_token
from typer.testing import CliRunner

import spacy_joint


def run(app, *arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def make_app(main):
    app = typer.Typer()
    app.command()(main)
    return app


def test_boundaries_take_the_name_of_a_package(assets):
    assert "precision" in run(boundaries.app, "probabilities", spacy_joint.PRETRAINED, assets / "tiny_dev.conllu")


def test_treebanks_are_named_by_their_files(assets, tmp_path):
    treebanks = [tmp_path / name / "r2.16" for name in ("EWT", "GUM")]
    for treebank in treebanks:
        treebank.mkdir(parents=True)
        file = treebank / f"en_{treebank.parent.name.lower()}-ud-dev.conllu"
        file.write_bytes((assets / "tiny_dev.conllu").read_bytes())
    app = make_app(whole_token.main)
    shown = run(app, spacy_joint.PRETRAINED, *treebanks, "--split", "dev", "--rounds", 1)
    assert [line.split()[1] for line in shown.splitlines()[2:6]] == ["EWT", r"EWT\*", "GUM", r"GUM\*"]
