"""`annotate-corpus --ray`: whatever dies in a cluster, the output is that of an undisturbed run on one machine."""

import os
import sys

import pyarrow
import pytest
import spacy

from spacy_joint.scale.annotating.shards import add_annotation

from .corpora import N_SHARDS, count_done, kill, list_children, read_tree, start, wait_until_done

ray = pytest.importorskip("ray")
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc"),
    # Of Ray itself.
    pytest.mark.filterwarnings("ignore"),
]
OPTIONS = ("--format", "jsonl", "--shard-bytes", 1000, "--workers", 2)
SMALL = {"num_cpus": 2, "object_store_memory": 100_000_000}


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        cluster = Cluster(True, head_node_args={**SMALL, "include_dashboard": False})
        cluster.add_node(**SMALL)
        yield cluster
        ray.shutdown()
        cluster.shutdown()


@pytest.fixture(scope="module")
def undisturbed(corpus, splitter, tmp_path_factory):
    output = tmp_path_factory.mktemp("output") / "undisturbed"
    run = start(corpus.name, *OPTIONS, "--model", splitter, "--output", output, cwd=corpus.parent)
    assert run.wait() == 0
    return output


def find_workers(cluster, name):
    """The processes of a cluster that Ray calls so."""
    raylets = [info.process.pid for node in cluster.list_all_nodes() for info in node.all_processes["raylet"]]
    return [pid for raylet in raylets for pid in list_children(raylet, name)]


def test_nothing_is_lost_or_made_twice_when_a_driver_actors_readers_and_a_node_are_killed(
    cluster, corpus, splitter, undisturbed, tmp_path
):
    output = tmp_path / "output"
    options = ("--ray", cluster.address, *OPTIONS)
    # The processes of the cluster have been started in another directory.
    arguments = (corpus.name, *options, "--model", splitter, "--output", os.path.relpath(output, corpus.parent))

    run = start(*arguments, cwd=corpus.parent)
    wait_until_done(run, output, 20)
    kill(run.pid)
    run.wait()
    assert 20 <= count_done(output) < N_SHARDS

    run = start(*arguments, cwd=corpus.parent)
    wait_until_done(run, output, 60)
    kill(find_workers(cluster, "MapWorker")[0])
    wait_until_done(run, output, 90)
    for reader in find_workers(cluster, "_read"):
        kill(reader)
    wait_until_done(run, output, 120)
    (node,) = cluster.worker_nodes
    cluster.remove_node(node, allow_graceful=False)
    assert run.wait() == 0
    assert read_tree(output) == read_tree(undisturbed)


def test_a_pipeline_is_a_step_of_ray_data(cluster, splitter):
    class Annotate:
        def __init__(self):
            self.nlp = spacy.load(splitter)

        def __call__(self, table):
            return add_annotation(table, self.nlp.pipe(table["text"].to_pylist()))

    ray.init(cluster.address, ignore_reinit_error=True)
    pages = ray.data.from_arrow(pyarrow.table({"year": [1920, 1921], "text": ["One. Two.", "Three."]}))
    rows = pages.map_batches(Annotate, batch_format="pyarrow", concurrency=1).take_all()
    assert sorted((row["year"], len(row["sentences"])) for row in rows) == [(1920, 2), (1921, 1)]
