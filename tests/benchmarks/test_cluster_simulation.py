"""The simulation of clusters, on clusters whose times can be told without it."""

from dataclasses import replace

import numpy as np
import pytest

cluster_simulation = pytest.importorskip("cluster_simulation", exc_type=ImportError)
Cluster, Measured, simulate = (getattr(cluster_simulation, name) for name in ("Cluster", "Measured", "simulate"))

# A second per 1,000 bytes of text, of which a shard is 1,000 bytes: 200 words. CoNLL-U is ten times as long.
MEASURED = Measured(seconds=np.array([1e-3]), shard_bytes=1000.0, written=10.0, bytes_per_word=5.0)
# 100 shards.
IDEAL = Cluster(
    nodes=1,
    cores=1,
    words=20_000,
    shard_bytes=1000.0,
    start_up=0.0,
    failures=0.0,
    slow_nodes=0.0,
    slow_shards=0.0,
    dispatches=1e9,
    storage=1e15,
)
HOUR = 3600.0


def test_without_any_loss_time_is_work_by_cores():
    for nodes, cores, seconds in ((1, 1, 100), (5, 2, 10), (7, 1, 15)):
        outcome = simulate(replace(IDEAL, nodes=nodes, cores=cores), MEASURED)
        assert outcome.hours * HOUR == pytest.approx(seconds)
        assert outcome.useful == pytest.approx(100 / (seconds * nodes * cores))
        assert outcome.core_hours == pytest.approx(outcome.hours * nodes * cores)


def test_larger_shards_are_sums_of_measured_ones():
    assert simulate(replace(IDEAL, shard_bytes=10_000.0), MEASURED).hours * HOUR == pytest.approx(100)
    varied = replace(MEASURED, seconds=np.array([5e-4, 1.5e-3]))
    drawn = varied.draw(np.random.default_rng(0), 2000, 16_000.0)
    assert drawn.mean() == pytest.approx(16, rel=0.02) and drawn.std() == pytest.approx(0.5 * 4, rel=0.05)


def test_a_slow_driver_sets_the_time():
    outcome = simulate(replace(IDEAL, nodes=100, dispatches=2.0), MEASURED)
    assert outcome.hours * HOUR == pytest.approx(50 + 1) and outcome.driver == pytest.approx(50 / 51)


def test_a_slow_storage_sets_the_time():
    """The last to be read waits for all others, and all but it are written meanwhile or after."""
    outcome = simulate(replace(IDEAL, nodes=100, storage=11_000.0), MEASURED)
    assert outcome.storage > 0.95
    assert outcome.hours * HOUR == pytest.approx(100, abs=2)
    assert simulate(replace(IDEAL, nodes=100, storage=11_000.0, compression=0.1), MEASURED).hours < outcome.hours / 4


def test_what_is_lost_with_a_node_is_done_again():
    outcome = simulate(replace(IDEAL, nodes=4, failures=360.0, start_up=5.0), MEASURED)
    assert outcome.lost_nodes and outcome.lost_shards
    assert outcome.useful * outcome.core_hours * HOUR == pytest.approx(100)


def test_the_same_seed_gives_the_same_figures():
    cluster = replace(IDEAL, nodes=4, failures=360.0, slow_nodes=0.3, slow_shards=0.3)
    assert simulate(cluster, MEASURED, seed=1) == simulate(cluster, MEASURED, seed=1)
    assert simulate(cluster, MEASURED, seed=1) != simulate(cluster, MEASURED, seed=2)
