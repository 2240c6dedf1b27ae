"""Serving with Ray: replicas of the same application on a Ray of their own. These tests take turns with one server."""

import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx2 as httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

ray = pytest.importorskip("ray")

from spacy_joint.scale.replicas import APPLICATION, Settings, run_replicas  # noqa: E402
from spacy_joint.serving.app import create_app  # noqa: E402
from spacy_joint.serving.worker import Worker, Workers  # noqa: E402

# Of Ray itself.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::FutureWarning"
)
# Seconds; longer than anything here takes on any machine.
PATIENCE = 180.0
SETTINGS = Settings(replicas=2, timeout=PATIENCE, allowed_hosts=("127.0.0.1",))
TEXT = "you said you have four cats i have four cats how old are they"


@pytest.fixture(scope="module")
def stack():
    """What stops the server, at the latest after all tests."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="module")
def address(stack):
    """The address of a server with two replicas."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_metrics_report_interval_ms", "200")
        stack.enter_context(run_replicas(SETTINGS, host="127.0.0.1", port=port))
    return f"http://127.0.0.1:{port}"


@pytest.fixture
def client(address):
    with httpx.Client(base_url=address, timeout=PATIENCE) as client:
        yield client


def annotate(client, text):
    return client.post("/api/annotate", json={"text": text})


def wait_for(find):
    """What `find` returns, once that is not nothing."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := find():
            return found
        time.sleep(0.1)
    raise TimeoutError


def list_replicas():
    """The actors of replicas that can be reached, by process."""
    names = ray.util.list_named_actors(all_namespaces=True)
    actors = [ray.get_actor(**name) for name in names if f"{APPLICATION}#Annotator" in name["name"]]
    return {ray.get(actor.__ray_call__.remote(lambda _: os.getpid())): actor for actor in actors}


def test_answers_are_those_of_the_server_without_ray(client):
    worker = Worker(None, timeout=PATIENCE, max_characters=SETTINGS.max_characters)
    with TestClient(create_app(Workers(worker)), base_url="http://localhost") as plain:
        for path, body in {
            "/api/annotate": {"text": TEXT},
            "/api/tree": {"text": TEXT, "sentence": 1},
            "/api/missing": {},
        }.items():
            expected, found = plain.post(path, json=body), client.post(path, json=body)
            assert (found.status_code, found.json()) == (expected.status_code, expected.json())
        # The other server offers all pipelines that are installed.
        described = [each.get("/api/pipeline").json() | {"pipelines": []} for each in (client, plain)]
        assert described[0] == described[1]
    worker.close()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ("GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: elsewhere.example\r\n\r\n", 400),
        # The rest of the body does not come.
        ("POST /api/tree HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n{", 408),
    ],
)
def test_other_and_several_hosts_and_stalled_bodies_are_refused(address, request_, status):
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        connection.sendall(request_.encode())
        assert connection.recv(4096).startswith(f"HTTP/1.1 {status} ".encode())


def test_a_server_that_can_annotate_is_well(client):
    assert client.get("/healthz").json() == {"status": "ok"}


def test_texts_sent_at_the_same_time_each_get_their_own_answer(client):
    texts = [f"We saw {n} cats." for n in range(40)]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda text: annotate(client, text).json(), texts))
    assert [answer["sentences"][0]["text"] for answer in found] == texts


def test_ray_exports_the_metrics_of_all_replicas(client):
    """What is counted by now is what earlier tests sent, and this."""
    assert client.get("/metrics").status_code == 404
    (node,) = ray.nodes()
    exported = f"http://{node['NodeManagerAddress']}:{node['MetricsExportPort']}/metrics"

    def read():
        families = text_string_to_metric_families(httpx.get(exported, timeout=60).text)
        return [sample for family in families for sample in family.samples if sample.name.startswith("ray_spacy_joint")]

    def sum_of(name, **labels):
        return sum(sample.value for sample in read() if sample.name == name and labels.items() <= sample.labels.items())

    before = sum_of("ray_spacy_joint_annotated_words_total")
    for _ in range(10):
        annotate(client, "We left.")
    wait_for(lambda: sum_of("ray_spacy_joint_annotated_words_total") >= before + 30)
    assert sum_of("ray_spacy_joint_requests_total", path="/api/annotate", status="200") >= 10
    assert sum_of("ray_spacy_joint_request_seconds_count", path="/api/annotate") >= 10


def test_a_replica_that_is_killed_is_replaced_and_requests_go_on(client):
    before = set(list_replicas())
    assert len(before) == 2
    killed = before.pop()
    os.kill(killed, signal.SIGKILL)
    assert {annotate(client, "We left.").status_code for _ in range(20)} == {200}
    after = wait_for(lambda: len(found := set(list_replicas())) == 2 and found)
    assert before < after and killed not in after
    assert {annotate(client, "We left.").status_code for _ in range(20)} == {200}


def test_replicas_killed_under_load_lose_only_what_they_were_answering(client):
    wait_for(lambda: len(list_replicas()) == 2)
    texts = [f"We saw {n} cats." for n in range(200)]
    with ThreadPoolExecutor(8) as threads:
        answers = [threads.submit(annotate, client, text) for text in texts]
        for killed in list_replicas():
            os.kill(killed, signal.SIGKILL)
        found = [answer.result() for answer in answers]
    assert {answer.status_code for answer in found} <= {200, 500}
    assert sum(answer.status_code == 500 for answer in found) <= 2 * 8
    for text, answer in zip(texts, found, strict=True):
        assert answer.status_code == 500 or answer.json()["sentences"][0]["text"] == text
    assert {annotate(client, "We left.").status_code for _ in range(20)} == {200}


def test_requests_that_have_come_are_answered_before_it_stops(client, stack):
    """The last test, since nothing is left afterwards."""
    replicas = list_replicas().values()
    with ThreadPoolExecutor(8) as threads:
        answers = [threads.submit(annotate, client, TEXT * 150) for _ in range(8)]
        wait_for(lambda: sum(ray.get([actor.get_num_ongoing_requests.remote() for actor in replicas])) == 8)
        stack.close()
        assert [answer.result().status_code for answer in answers] == [200] * 8
    with pytest.raises(httpx.ConnectError):
        client.get("/healthz")
