"""The configs of the package, filled in by `spacy init fill-config`, pass spaCy's own checks anywhere."""

from importlib.metadata import entry_points
from pathlib import Path

import pytest
import spacy
from spacy.cli.debug_config import debug_config
from spacy.cli.init_config import fill_config
from spacy.util import load_config, load_model_from_config

from spacy_joint.cli.training.configs import CONFIGS
from spacy_joint.errors import JointError

PATHS = sorted(CONFIGS.glob("*.cfg"))
CONFIG = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


@pytest.fixture(scope="module")
def overrides(full_pipeline, small_model, tmp_path_factory):
    """The trained pipelines on which configs build. Nothing else has to exist."""
    config = {"model": small_model}
    sources = dict.fromkeys(("tagger", "parser", "morphologizer"), str(full_pipeline))
    made = {"cues": {"quotation_cues": config}, "guide": {"sequence_tagger": config, "parser_guide": {}}}
    for name, factories in made.items():
        nlp = spacy.blank("en")
        for factory, settings in factories.items():
            nlp.add_pipe(factory, config=settings)
        sources[name] = str(tmp_path_factory.mktemp(name))
        nlp.to_disk(sources[name])

    def choose(path: Path) -> dict[str, str]:
        if path.stem in ("parser_guide_trf", "span_guide_trf"):
            pytest.importorskip("torch")
            pytest.importorskip("transformers")
        return {f"paths.{name}": sources[name] for name in sources.keys() & load_config(path)["paths"].keys()}

    return choose


@pytest.fixture
def check(overrides, tmp_path, monkeypatch):
    """Fill in a config and check it, anywhere."""
    monkeypatch.chdir(tmp_path)

    def check(path: Path, **options: str) -> None:
        base, filled = tmp_path / "base.cfg", tmp_path / "filled.cfg"
        load_config(path, overrides={**overrides(path), **options}, interpolate=False).to_disk(base)
        fill_config(filled, base, silent=True)
        debug_config(filled, show_funcs=True)

    return check


def test_there_is_a_config_for_each_component():
    configured = {part.get("factory") for path in PATHS for part in load_config(path)["components"].values()}
    ours = {point.name for point in entry_points(group="spacy_factories") if point.value.startswith("spacy_joint.")}
    # One does not learn; the other is part of `hedge_chunker` unless it shall not be joint.
    assert ours - configured == {"multiword_expander", "hedge_segmenter"}


@CONFIG
def test_debug_config_accepts_it(path, check, capsys):
    check(path)
    printed = capsys.readouterr().out
    assert "Config is valid" in printed
    assert any(name in printed for name in ("Perceptron.v1", "SpanGuide.v1", "constituent_scorer.v1"))


@CONFIG
def test_debug_config_names_the_command_that_makes_a_missing_file(path, check, tmp_path):
    for name, command in (("word_classes", "word-classes"), ("tokenizer_exceptions", "tokenizer-exceptions")):
        if name in load_config(path)["paths"]:
            with pytest.raises(JointError, match=f"J520.*missing.*spacy joint {command} .*--paths.{name} null"):
                check(path, **{f"paths.{name}": str(tmp_path / "missing")})


@CONFIG
def test_it_leaves_out_what_components_have_by_default(path):
    for component in load_config(path)["components"].values():
        if "factory" in component:
            defaults = spacy.blank("en").get_factory_meta(component["factory"]).default_config
            # Head rules, sizes and measures are there to be changed.
            named = ("head_rules", "max_span", "scorer")
            same = {name for name, value in component.items() if name not in named and value == defaults.get(name)}
            assert same <= {"model"}


@CONFIG
def test_training_is_seeded_and_ends(path):
    training = load_config(path, interpolate=True)["training"]
    assert training["seed"] == 0
    assert sorted((training["max_steps"] > 0, training.get("max_epochs", 0) > 0)) == [False, True]


def test_training_of_the_parser_stops_early_by_the_mean_of_boundaries_and_trees(full_pipeline):
    (path,) = [path for path in PATHS if path.stem == "joint_sbd_parser"]
    training = load_config(path)["training"]
    assert training["patience"] > 3 * training["eval_frequency"]
    config = load_config(path, overrides={"paths.tagger": str(full_pipeline)}, interpolate=False)
    weights = load_model_from_config(config, auto_fill=True).config["training"]["score_weights"]
    assert {name: weight for name, weight in weights.items() if weight} == {"boundary_f": 0.5, "dep_las_punct": 0.5}


def test_the_tagger_can_train_on_each_kind_of_text(check):
    (path,) = [path for path in PATHS if path.stem == "sequence_tagger"]
    for kind in ("original", "unpunctuated", "both", "robust"):
        check(path, **{"training.train_corpus": f"corpora.{kind}"})
