"""Model files: contents round-trip, and truncated, changed or foreign files are refused."""

import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.engine import model_file

QUICK = settings(max_examples=150)
META = {"fingerprint": "abc", "table_bits": 8, "labels": ["é", "x"]}
ARRAYS = {
    "averaged": np.arange(-60, 61, dtype=np.int8),
    "total": np.linspace(0, 1, 33, dtype=np.float32),
    "empty": np.zeros(0, dtype=np.float32),
    "last": np.arange(16, dtype=np.uint32),
}
CONTENT = model_file.pack(META, ARRAYS)
dtypes = st.sampled_from(["i1", "u1", "<f4", "<u4", "<i8", "<f8", ">u2"])


@QUICK
@given(
    st.dictionaries(st.text(), st.one_of(st.integers(), st.text(), st.none(), st.lists(st.text())), max_size=4),
    st.dictionaries(st.text(), st.tuples(dtypes, st.binary(max_size=200)), max_size=4),
)
def test_packed_values_round_trip(meta, described):
    arrays = {}
    for name, (dtype, data) in described.items():
        size = np.dtype(dtype).itemsize
        arrays[name] = np.frombuffer(data[: len(data) // size * size], dtype=dtype)
    found_meta, found = model_file.unpack(model_file.pack(meta, arrays))
    assert found_meta == meta
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert found[name].tobytes() == array.astype(array.dtype.newbyteorder("<")).tobytes()


def test_arrays_are_aligned_read_only_views_of_the_content():
    _, arrays = model_file.unpack(bytearray(CONTENT))
    assert not arrays["averaged"].flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        arrays["averaged"][0] = 1
    base = min(array.ctypes.data for array in arrays.values() if array.size)
    assert all((array.ctypes.data - base) % model_file.ALIGNMENT == 0 for array in arrays.values() if array.size)


def test_every_truncation_and_every_changed_byte_of_an_array_is_refused():
    for size in range(len(CONTENT)):
        with pytest.raises(ValueError, match=r"J05[02]"):
            model_file.unpack(CONTENT[:size])
    at = CONTENT.index(ARRAYS["averaged"].tobytes())
    for i in range(at, at + ARRAYS["averaged"].nbytes):
        with pytest.raises(ValueError, match=r"J052.*'averaged'"):
            model_file.unpack(CONTENT[:i] + bytes([CONTENT[i] ^ 1]) + CONTENT[i + 1 :])


@QUICK
@given(st.lists(st.tuples(st.integers(0, len(CONTENT) - 1), st.integers(1, 255)), min_size=1, max_size=3))
def test_changed_bytes_are_refused_unless_they_are_padding(changes):
    content = bytearray(CONTENT)
    for at, change in changes:
        content[at] ^= change
    try:
        meta, arrays = model_file.unpack(bytes(content))
    except ValueError as error:
        assert "J05" in str(error)
    else:
        assert meta == META and all(np.array_equal(arrays[name], ARRAYS[name]) for name in ARRAYS)


@QUICK
@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.binary(max_size=100))
def test_random_headers_of_this_version_are_refused(size, checksum, rest):
    content = model_file.PREFIX.pack(model_file.MAGIC, model_file.VERSION, size, checksum) + rest
    with pytest.raises(ValueError, match=r"J052.*header"):
        model_file.unpack(content)


@pytest.mark.parametrize("header", [b"", b"\xff", b"[]", b"[" * 100_000, b"1" * 5000])
def test_intact_headers_of_other_content_are_refused(header):
    prefix = model_file.PREFIX.pack(model_file.MAGIC, model_file.VERSION, len(header), zlib.crc32(header))
    with pytest.raises(ValueError, match=r"J052.*header"):
        model_file.unpack(prefix + header)


def test_other_versions_are_refused_by_their_numbers_and_errors_name_the_source():
    for version in (0, 2, 2**32 - 1):
        with pytest.raises(ValueError, match=f"J051.*format {version}, not 1"):
            model_file.unpack(CONTENT[:8] + struct.pack("<I", version) + CONTENT[12:])
    with pytest.raises(ValueError, match="my model is not a spacy_joint model"):
        model_file.unpack(b"", "my model")
