"""The catalogue of errors, and the errors that are raised with it."""

import copy
import pickle

import pytest

from spacy_joint.errors import (
    Errors,
    JointError,
    JointFileNotFoundError,
    JointMemoryError,
    JointOSError,
    JointValueError,
    Message,
)

MESSAGES = {name: message for name, message in vars(Errors).items() if name.startswith("J")}
KINDS = {
    JointValueError: ValueError,
    JointOSError: OSError,
    JointFileNotFoundError: FileNotFoundError,
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
    error = kind(Errors.J030, width=0, most=1024)
    assert isinstance(error, JointError) and isinstance(error, builtin)
    assert (error.code, error.cause, error.fix) == ("J030", "beam_width is 0.", "1 to 1024 are allowed.")
    assert str(error) == "[J030] beam_width is 0. 1 to 1024 are allowed."


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_survives_a_copy(kind, clone):
    # What looks like a placeholder is a value.
    error = kind(Errors.J402, path="{path}")
    cloned = clone(error)
    assert type(cloned) is kind
    assert (cloned.code, cloned.cause, cloned.fix, str(cloned)) == (error.code, error.cause, error.fix, str(error))


def test_a_value_that_the_message_lacks_is_a_mistake():
    with pytest.raises(KeyError):
        JointValueError(Errors.J030, length=1)
