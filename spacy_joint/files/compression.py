"""Decompresses files by their suffixes. Files may have several compressed parts, as parallel compressors write."""

import gzip
import io
import sys
import zlib
from typing import Any, BinaryIO, cast

from ..errors import Errors, JointValueError, require_packages

zstd: Any
try:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
except ImportError:
    zstd = None

COMPRESSIONS = (".gz", ".zst", ".bz2")
# Raised by reading: errors of damaged data, and OSError, which has a number if the storage fails.
READ_ERRORS: tuple[type[Exception], ...] = (OSError, EOFError, zlib.error, *([zstd.ZstdError] if zstd else []))


def decompress(raw: BinaryIO, suffix: str) -> BinaryIO:
    """Decompresses a file by its suffix; returns files with other suffixes unchanged. RAISES ValueError: If a package
    is missing (J710). Reading raises READ_ERRORS."""
    if suffix == ".gz":
        return cast(BinaryIO, gzip.open(raw))
    if suffix == ".zst":
        if zstd is None:
            raise JointValueError(Errors.J710, package="backports.zstd", extra="corpora")
        # Any window size: by default, files made with `zstd --long=28` or more are refused.
        return zstd.ZstdFile(raw, options={zstd.DecompressionParameter.window_log_max: 31})
    if suffix == ".bz2":
        # Python's bz2 mistakes a later part that is damaged at its beginning for the end of the file.
        require_packages("corpora", "pyarrow")
        import pyarrow

        stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(raw, mode="r"), "bz2")
        return cast(BinaryIO, io.BufferedReader(stream))
    return raw
