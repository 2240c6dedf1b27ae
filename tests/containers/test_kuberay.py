"""The examples for KubeRay: they are what it accepts, and refer to what exists. No cluster runs here."""

import json
import re
import shlex
from importlib import import_module
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

jsonschema = pytest.importorskip("jsonschema")
yaml = pytest.importorskip("yaml")

EXAMPLES = Path(__file__).parents[2] / "containers" / "kuberay"
SCHEMA = json.loads(Path(__file__).with_name("kuberay.json").read_text(encoding="utf8"))
COMMAND = ["python", "-m", "spacy", "joint"]

pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="containers are not part of what is installed")


def read(name):
    return yaml.safe_load((EXAMPLES / name).read_text(encoding="utf8"))


@pytest.fixture(params=["service.yaml", "job.yaml"])
def manifest(request):
    return read(request.param)


def get_cluster(manifest):
    spec = manifest["spec"]
    return spec.get("rayClusterConfig") or spec["rayClusterSpec"]


def list_pods(manifest):
    """The specifications of its pods."""
    cluster = get_cluster(manifest)
    return [group["template"]["spec"] for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"])]


def test_it_is_valid(manifest):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(manifest, SCHEMA)


def test_its_ray_is_that_of_the_image(manifest):
    (version,) = re.findall(r"ray==([\d.]+)", EXAMPLES.with_name("Dockerfile").read_text(encoding="utf8"))
    assert get_cluster(manifest)["rayVersion"] == version
    (allowed,) = [each for each in requires("spacy-joint") if "ray[" in each]
    assert Requirement(allowed).specifier.contains(version)


def test_a_misspelt_field_is_noticed(manifest):
    list_pods(manifest)[0]["containers"][0]["imagePullPolice"] = "Always"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(manifest, SCHEMA)


def test_nothing_runs_as_root_and_volumes_that_are_mounted_exist(manifest):
    for pod in list_pods(manifest):
        volumes = {volume["name"] for volume in pod.get("volumes", ())}
        for container in pod["containers"]:
            assert container["securityContext"]["runAsNonRoot"] is True
            assert {mount["name"] for mount in container.get("volumeMounts", ())} == volumes


def test_the_service_is_what_ray_serve_accepts_and_its_replicas_have_room():
    schema = pytest.importorskip("ray.serve.schema")
    manifest = read("service.yaml")
    served = yaml.safe_load(manifest["spec"]["serveConfigV2"])
    (application,) = schema.ServeDeploySchema.model_validate(served).applications
    module, _, name = application.import_path.partition(":")
    module = import_module(module)
    settings = module.Settings(**application.args)
    assert callable(getattr(module, name))
    (workers,) = manifest["spec"]["rayClusterConfig"]["workerGroupSpecs"]
    (container,) = workers["template"]["spec"]["containers"]
    assert settings.replicas <= workers["replicas"] * int(container["resources"]["requests"]["cpu"])


def test_the_job_runs_a_command_of_this_package_on_a_volume(parse_command):
    job = read("job.yaml")
    words = shlex.split(job["spec"]["entrypoint"])
    assert words[:4] == COMMAND
    parsed = parse_command(words[4:])
    assert parsed["ray"] == "auto"
    mounted = {mount["mountPath"] for pod in list_pods(job) for mount in pod["containers"][0]["volumeMounts"]}
    assert all(any(str(path).startswith(mount) for mount in mounted) for path in (*parsed["inputs"], parsed["output"]))
