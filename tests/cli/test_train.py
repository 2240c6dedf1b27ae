"""`train`: what users see of training over shards."""

import spacy

from spacy_joint.cli.training.configs import CONFIGS


def test_a_pipeline_is_trained_over_a_shard_per_worker(run, tagger_settings, tmp_path):
    settings = {**tagger_settings, "training.max_epochs": 1, "system.seed": 3}
    options = [part for name, value in settings.items() for part in (f"--{name}", value)]
    arguments = ["train", CONFIGS / "sequence_tagger.cfg", "--output", tmp_path / "trained", *options]
    printed = run(*arguments, "--workers", 2).stdout
    assert "Shards: 2, finished epochs: 0, seed: 3" in printed
    assert "Seed: 3" in printed and "TAG_ACC" in printed
    assert spacy.load(tmp_path / "trained" / "model-best")("They see us .")[0].tag_
    assert "finished epochs: 1" in run(*arguments, "--workers", 1, "--shards", 2).stdout
