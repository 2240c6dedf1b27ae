"""The catalogue of errors and warnings, and what is raised with it."""

import copy
import pickle
import warnings

import pytest

from spacy_joint.errors import (
    Errors,
    JointError,
    JointFileNotFoundError,
    JointImportError,
    JointMemoryError,
    JointOSError,
    JointValueError,
    JointWarning,
    Message,
    Warnings,
)

MESSAGES = {
    name: message
    for catalogue in (Errors, Warnings)
    for name, message in vars(catalogue).items()
    if name.startswith("J")
}
KINDS = {
    JointValueError: ValueError,
    JointOSError: OSError,
    JointFileNotFoundError: FileNotFoundError,
    JointImportError: ImportError,
    JointMemoryError: MemoryError,
}


@pytest.mark.parametrize("name", MESSAGES)
def test_each_message_knows_its_code_and_has_a_cause_and_a_fix(name):
    message = MESSAGES[name]
    assert isinstance(message, Message) and message.code == name
    assert message.cause and message.fix
    assert message.cause[-1] in ".)" and message.fix[-1] in ".'"
    assert str(message) == f"[{name}] {message.cause} {message.fix}"


@pytest.mark.parametrize(("kind", "builtin"), KINDS.items())
def test_an_error_is_of_this_package_and_of_python(kind, builtin):
    error = kind(Errors.J030, name="beam_width", value=0, allowed="from 1 to 1024")
    assert isinstance(error, JointError) and isinstance(error, builtin)
    assert (error.code, error.cause, error.fix) == ("J030", "beam_width is 0.", "It must be from 1 to 1024.")
    assert str(error) == "[J030] beam_width is 0. It must be from 1 to 1024."


def test_a_warning_is_of_this_package_and_of_python():
    with pytest.warns(UserWarning, match=r"^\[JW01\] 'parser' cannot learn from 3 of the first 20 ") as caught:
        warnings.warn(JointWarning(Warnings.JW01, name="parser", n=3, total=20), stacklevel=1)
    warning = caught[0].message
    assert isinstance(warning, JointWarning) and not isinstance(warning, JointError)
    assert (warning.code, warning.fix) == ("JW01", "Correct the corpus, or leave these documents out.")


@pytest.mark.parametrize("kind", [*KINDS, JointWarning])
@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_survives_a_copy(kind, clone):
    # What looks like a placeholder is a value.
    error = kind(Errors.J402, path="{path}")
    cloned = clone(error)
    assert type(cloned) is kind
    assert (cloned.code, cloned.cause, cloned.fix, str(cloned)) == (error.code, error.cause, error.fix, str(error))


def test_a_missing_placeholder_value_raises_a_key_error():
    with pytest.raises(KeyError):
        JointValueError(Errors.J030, length=1)
