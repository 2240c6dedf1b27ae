"""A document as seen by the engine, made from any arrays of uint64: see columns.pxd for the layout."""

import numpy as np

from ..errors import Errors, JointValueError

from libc.stdint cimport uint64_t
from murmurhash.mrmr cimport hash64


ROOT_VALUE = 0x52_4F_4F_54  # any constant other than zero
# Used for documents without token info.
NO_TOKEN_INFO = np.zeros((1, 1), dtype=np.int32)


cdef class Columns:
    """The attributes of a document's tokens.

    names (Sequence[str]): The names of the columns, for templates.
    values (np.ndarray): The values (uint64, tokens x columns).
    constraints (np.ndarray | None): What tokens must (1), must not (-1) or may (0) be for the system (int8).
    token_info (np.ndarray | None): Integers for systems that read them (int32, tokens x any).
    RAISES ValueError: If shapes do not match.
    """

    def __cinit__(self, names, values, constraints=None, token_info=None):
        values = np.asarray(values, dtype=np.uint64)
        if values.ndim != 2 or values.shape[1] != len(names):
            raise JointValueError(Errors.J001, name="values", value=values.shape, allowed=f"(n_tokens, {len(names)})")
        n_tokens = values.shape[0]
        if n_tokens > 2**31 - 2 * FIRST:
            raise JointValueError(Errors.J002, name="The document", n=n_tokens, unit="tokens", most="2^31")
        cells = np.zeros((FIRST + n_tokens + 1 + PADDING, max(len(names), 1)), dtype=np.uint64)
        cells[ROOT] = ROOT_VALUE
        cells[FIRST : FIRST + n_tokens, : len(names)] = values
        # One extra element, so that an empty document has a valid address.
        padded, padded_info = np.zeros(n_tokens + 1, dtype=np.int8), NO_TOKEN_INFO
        if constraints is not None:
            constraints = np.asarray(constraints, dtype=np.int8)
            if constraints.shape != (n_tokens,):
                raise JointValueError(Errors.J001, name="constraints", value=constraints.shape, allowed=(n_tokens,))
            padded[:n_tokens] = constraints
        if token_info is not None:
            token_info = np.asarray(token_info, dtype=np.int32)
            if token_info.ndim != 2 or token_info.shape[0] != n_tokens:
                raise JointValueError(Errors.J001, name="token_info", value=token_info.shape, allowed=f"{n_tokens} x n")
            padded_info = np.zeros((n_tokens + 1, max(token_info.shape[1], 1)), dtype=np.int32)
            padded_info[:n_tokens, : token_info.shape[1]] = token_info
        self.names, self.cells, self.constraints, self.token_info = tuple(names), cells, padded, padded_info
        self.c = InputC(
            &self.cells[0, 0], &self.constraints[0], &self.token_info[0, 0],
            self.cells.shape[1], 0 if token_info is None else token_info.shape[1], n_tokens,
        )

    def __len__(self):
        return self.c.n_tokens

    def __reduce__(self):
        values = np.asarray(self.cells)[FIRST : FIRST + self.c.n_tokens, : len(self.names)]
        n_tokens = self.c.n_tokens
        token_info = np.asarray(self.token_info)[:n_tokens, : self.c.n_info] if self.c.n_info else None
        return (Columns, (self.names, values, np.asarray(self.constraints)[:n_tokens], token_info))

    def split(self, constraint):
        """Splits the document before tokens with this constraint, into one or more parts (list[Columns])."""
        names, values, constraints, token_info = self.__reduce__()[1]
        starts = np.flatnonzero(constraints == constraint)
        starts = starts[starts > 0]
        arrays = [values, constraints] if token_info is None else [values, constraints, token_info]
        parts = zip(*(np.split(array, starts) for array in arrays), strict=True)
        return [Columns(names, *part) for part in parts]


def affix_columns(words, lengths):
    """Hashes prefixes (positive lengths) and suffixes (negative lengths), for features of unknown words (np.ndarray of
    uint64, words x lengths). Words no longer than the affix get 0 ("nothing")."""
    result = np.zeros((len(words), len(lengths)), dtype=np.uint64)
    cdef uint64_t[:, ::1] out = result
    cdef bytes encoded
    cdef int i, j, length
    for i, word in enumerate(words):
        for j, length in enumerate(lengths):
            if abs(length) < len(word):
                encoded = (word[:length] if length > 0 else word[length:]).encode("utf8", "surrogatepass")
                out[i, j] = hash64(<char*>encoded, len(encoded), 1)
    return result
