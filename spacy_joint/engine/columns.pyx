"""A document as seen by the engine, made from any arrays of uint64: see columns.pxd for the layout."""

import numpy as np

from ..errors import Errors, JointValueError

from libc.stdint cimport uint64_t
from murmurhash.mrmr cimport hash64


ROOT_VALUE = 0x52_4F_4F_54  # any constant other than zero
# Used for documents without facts.
NO_FACTS = np.zeros((1, 1), dtype=np.int32)


cdef class Columns:
    """The attributes of a document's tokens.

    names (Sequence[str]): The names of the columns, for templates.
    values (np.ndarray): The values (uint64, tokens x columns).
    constraints (np.ndarray | None): What tokens must (1), must not (-1) or may (0) be for the system (int8).
    facts (np.ndarray | None): Facts (int32, tokens x facts), for systems that read them.
    RAISES ValueError: If shapes do not match.
    """

    def __cinit__(self, names, values, constraints=None, facts=None):
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
        padded, padded_facts = np.zeros(n_tokens + 1, dtype=np.int8), NO_FACTS
        if constraints is not None:
            constraints = np.asarray(constraints, dtype=np.int8)
            if constraints.shape != (n_tokens,):
                raise JointValueError(Errors.J001, name="constraints", value=constraints.shape, allowed=(n_tokens,))
            padded[:n_tokens] = constraints
        if facts is not None:
            facts = np.asarray(facts, dtype=np.int32)
            if facts.ndim != 2 or facts.shape[0] != n_tokens:
                raise JointValueError(Errors.J001, name="facts", value=facts.shape, allowed=f"({n_tokens}, n_facts)")
            padded_facts = np.zeros((n_tokens + 1, max(facts.shape[1], 1)), dtype=np.int32)
            padded_facts[:n_tokens, : facts.shape[1]] = facts
        self.names, self.cells, self.constraints, self.facts = tuple(names), cells, padded, padded_facts
        self.c = InputC(
            &self.cells[0, 0], &self.constraints[0], &self.facts[0, 0],
            self.cells.shape[1], 0 if facts is None else facts.shape[1], n_tokens,
        )

    def __len__(self):
        return self.c.n_tokens

    def __reduce__(self):
        values = np.asarray(self.cells)[FIRST : FIRST + self.c.n_tokens, : len(self.names)]
        n_tokens = self.c.n_tokens
        facts = np.asarray(self.facts)[:n_tokens, : self.c.n_facts] if self.c.n_facts else None
        return (Columns, (self.names, values, np.asarray(self.constraints)[:n_tokens], facts))

    def with_facts(self, facts):
        """Returns the same document with other facts (Columns)."""
        names, values, constraints, _ = self.__reduce__()[1]
        return Columns(names, values, constraints, facts)

    def split(self, constraint):
        """Splits the document before tokens with this constraint, into one or more parts (list[Columns])."""
        names, values, constraints, facts = self.__reduce__()[1]
        starts = np.flatnonzero(constraints == constraint)
        starts = starts[starts > 0]
        arrays = [values, constraints] if facts is None else [values, constraints, facts]
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
