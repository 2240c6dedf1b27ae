"""What all benchmarks share: finding pipelines and treebanks."""

import boundaries
import typer
import whole_token

import spacy_joint


def test_boundaries_take_the_name_of_a_package(run, assets):
    arguments = ("probabilities", spacy_joint.PRETRAINED, assets / "tiny_dev.conllu")
    assert "precision" in run(*arguments, app=boundaries.app).output


def test_treebanks_are_named_by_their_files(run, assets, tmp_path):
    treebanks = [tmp_path / name / "r2.16" for name in ("EWT", "GUM")]
    for treebank in treebanks:
        treebank.mkdir(parents=True)
        for split in ("dev", "test"):
            file = treebank / f"en_{treebank.parent.name.lower()}-ud-{split}.conllu"
            file.write_bytes((assets / "tiny_dev.conllu").read_bytes())
    app = typer.Typer()
    app.command()(whole_token.main)
    shown = run(spacy_joint.PRETRAINED, *treebanks, "--rounds", 1, app=app).output
    assert [line.split()[1] for line in shown.splitlines()[2:6]] == ["EWT", r"EWT\*", "GUM", r"GUM\*"]
