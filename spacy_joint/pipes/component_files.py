"""The files of a trained component: a mixin with spaCy's methods for saving and loading them. A subclass makes the
content of the files (`list_savers`) and loads it (`load_parts`). Files are replaced atomically, their checksums are in
a file of their own, and a component that fails to load does not change. No thread uses a component while another loads
it."""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from os import getpid
from pathlib import Path
from typing import ClassVar, NamedTuple, ParamSpec, TypeVar
from zlib import crc32

import srsly
from spacy.vocab import Vocab
from typing_extensions import Self

from ..engine import linear_model  # noqa: F401  # see _lock
from ..engine.threads import make_fork_lock
from ..errors import Errors, JointValueError, JointWarning, Message, report_damage
from ..files.atomic import write_bytes

# The name of bytes in errors.
BYTES = "the bytes"
# The file with the checksums of the others. A component without it loads unchecked.
CHECKSUMS = "checksums"
# One thread saves or loads a component while others wait. Saving takes the lock of linear_model.py, so this one is made
# later: see `make_fork_lock`.
_lock = make_fork_lock()
# The calls that use a component now, and the component that is being loaded. With their process, since threads are not
# forked.
_uses: set[tuple[int, int, object]] = set()
_loading: set[tuple[int, int]] = set()

P = ParamSpec("P")
Result = TypeVar("Result")


def uses_parts(method: Callable[P, Result]) -> Callable[P, Result]:
    """Decorates a method that reads or changes the parts of a component, so that no other thread loads them during a
    call, and it is not called during loading (J007)."""

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> Result:
        component = getpid(), id(args[0])
        use = (*component, object())
        try:
            _uses.add(use)
            if component in _loading:
                raise JointValueError(Errors.J007, what="component")
            return method(*args, **kwargs)
        finally:
            _uses.discard(use)

    return call


@contextmanager
def claim_parts(loaded: object) -> Iterator[None]:
    """Claims a component for loading: see `uses_parts`. RAISES ValueError: If a call uses it (J007)."""
    component = getpid(), id(loaded)
    try:
        _loading.add(component)
        if any(use[:2] == component for use in tuple(_uses)):
            raise JointValueError(Errors.J007, what="component")
        yield
    finally:
        _loading.discard(component)


class Part(NamedTuple):
    """The content of a file, and its name in errors."""

    content: bytes
    source: str


class Parts:
    """A saved component: a directory, or bytes by file name. Files in `exclude` are ignored."""

    def __init__(self, saved: Path | Mapping[str, bytes], exclude: Collection[str]) -> None:
        self.saved = saved
        self.exclude = exclude
        self.source = str(saved) if isinstance(saved, Path) else BYTES
        self.checksums: dict[str | Path, int] = {}

    def get(self, name: str | Path, *, required: bool = True) -> Part | None:
        """Reads a file, given its name or a path elsewhere; None if it is missing or excluded.

        RAISES ValueError: If a required file is missing (J073; J050 for bytes).
        """
        if name in self.exclude:
            return None
        part = None
        if isinstance(self.saved, Path):
            path = self.saved / name
            if path.is_file():
                part = Part(path.read_bytes(), str(path))
        elif name in self.saved:
            part = Part(self.saved[str(name)], BYTES)
        if part is not None:
            self.checksums[name] = crc32(part.content)
        elif required:
            message = Errors.J073 if isinstance(self.saved, Path) else Errors.J050
            raise JointValueError(message, path=self.source, source=self.source, name=Path(name).name)
        return part

    def check(self) -> None:
        """Checks the files read so far, after they have been parsed, since other errors say more about the damage.

        RAISES ValueError: If one does not have its checksum (J052).
        """
        if (part := self.get(CHECKSUMS, required=False)) is not None:
            with report_damage(part.source, CHECKSUMS):
                saved = dict(srsly.json_loads(part.content))
            for name in saved.keys() & self.checksums.keys():
                if saved[name] != self.checksums[name]:
                    raise JointValueError(Errors.J052, source=self.source, what=name)


def replace_file(path: Path, content: bytes) -> None:
    """Replaces a file of a saved component, and its checksum."""
    write_bytes(path, content)
    checksums = path.with_name(CHECKSUMS)
    known = srsly.read_json(checksums) if checksums.is_file() else {}
    srsly.write_json(checksums, {**known, path.name: crc32(content)})


class ComponentFiles:
    """Saves and loads a component. `exclude` are names of files, and "vocab"."""

    name: str
    vocab: Vocab
    # The names of all files that a component may have.
    file_names: ClassVar[tuple[str, ...]] = ("cfg", "model")
    # The codes and the subjects of warnings given.
    _warned: frozenset[tuple[str, str]] = frozenset()

    @abstractmethod
    def list_savers(self, exclude: Collection[str]) -> dict[str, Callable[[], bytes]]:
        """Lists functions that make the content of each file."""

    @abstractmethod
    def load_parts(self, parts: Parts) -> None:
        """Loads all files: see `from_disk` and `from_bytes` for errors."""

    def warn_once(self, warning: Message, key: str = "", **values: object) -> None:
        """Gives a warning of the catalogue, unless this component has given it before about the same thing."""
        if (warning.code, key) not in self._warned:
            warnings.warn(JointWarning(warning, name=self.name, **values), stacklevel=3)
            # Afterwards, so that warnings as errors fail all documents: see `StructuredPipe.pipe`.
            self._warned |= {(warning.code, key)}

    def to_bytes(self, *, exclude: Collection[str] = ()) -> bytes:
        """Saves the component to bytes."""
        with _lock:
            parts = dict(self._save(self.list_savers(exclude), exclude))
            if "vocab" not in exclude:
                parts["vocab"] = self.vocab.to_bytes(exclude=exclude)
        content: bytes = srsly.msgpack_dumps(parts)
        return content

    def _save(self, savers: Mapping[str, Callable[[], bytes]], exclude: Collection[str]) -> Iterator[tuple[str, bytes]]:
        checksums = {}
        for name, save in savers.items():
            if name not in exclude:
                content = save()
                checksums[name] = crc32(content)
                yield name, content
        yield CHECKSUMS, srsly.json_dumps(checksums).encode("utf8")

    def from_bytes(self, bytes_data: bytes, *, exclude: Collection[str] = ()) -> Self:
        """Loads the bytes of `to_bytes`.

        RAISES ValueError: If they are damaged (J050 to J052), or do not fit the settings (J061, J066), or if another
            thread uses the component (J007).
        """
        with report_damage(BYTES):
            saved = srsly.msgpack_loads(bytes_data)
            if not isinstance(saved, dict) or not all(isinstance(part, bytes) for part in saved.values()):
                raise TypeError
        return self._load(saved, exclude)

    def to_disk(self, path: str | Path, *, exclude: Collection[str] = ()) -> None:
        """Saves the component to a directory."""
        path = Path(path)
        path.mkdir(parents=True, exist_ok=True)
        with _lock:
            savers = self.list_savers(exclude)
            for name in {*self.file_names} - savers.keys():  # of an earlier model
                (path / name).unlink(missing_ok=True)
            for name, content in self._save(savers, exclude):
                self.save_file(path / name, content)
            if "vocab" not in exclude:
                self.vocab.to_disk(path / "vocab", exclude=exclude)

    def save_file(self, path: Path, content: bytes) -> None:
        """Writes a file."""
        write_bytes(path, content)

    def from_disk(self, path: str | Path, *, exclude: Collection[str] = ()) -> Self:
        """Loads the component from a directory.

        RAISES ValueError: If a file is missing (J073) or damaged (J050 to J052), or does not fit the settings (J061,
            J066), or if another thread uses the component (J007).
        """
        return self._load(Path(path), exclude)

    def _load(self, saved: Path | Mapping[str, bytes], exclude: Collection[str]) -> Self:
        parts = Parts(saved, exclude)
        with _lock, claim_parts(self):
            attributes, before = dict(vars(self)), dict(self._save(self.list_savers(()), ()))
            try:
                self.load_parts(parts)
                parts.check()
                with report_damage(parts.source, "vocab"):
                    if isinstance(saved, Path):
                        if "vocab" not in exclude and (saved / "vocab").is_dir():
                            self.vocab.from_disk(saved / "vocab", exclude=exclude)
                    elif (vocab := parts.get("vocab", required=False)) is not None:
                        self.vocab.from_bytes(vocab.content, exclude=exclude)
            except BaseException:
                self.load_parts(Parts(before, ()))
                vars(self).clear()
                vars(self).update(attributes)
                raise
        return self
