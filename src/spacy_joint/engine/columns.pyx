"""A document as seen by the engine: see columns.pxd for the layout. It is made from any uint64 arrays, such as those of
`Doc.to_array`, independently of spaCy."""

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
    constraints (np.ndarray | None): Constraints (int8, one per token); 1: must, -1: must not, 0: free, as defined by
        the system.
    facts (np.ndarray | None): Facts (int32, tokens x facts), for systems that read them.
    RAISES ValueError: If shapes do not match.
    """

    def __init__(self, names, values, constraints=None, facts=None):
        values = np.asarray(values, dtype=np.uint64)
        if values.ndim != 2 or values.shape[1] != len(names):
            raise JointValueError(Errors.J001, shape=values.shape, n_columns=len(names))
        n_tokens = values.shape[0]
        if n_tokens > 2**31 - 2 * FIRST:
            raise JointValueError(Errors.J002, n_tokens=n_tokens)
        cells = np.zeros((FIRST + n_tokens + PADDING, max(len(names), 1)), dtype=np.uint64)
        cells[ROOT] = ROOT_VALUE
        cells[FIRST : FIRST + n_tokens, : len(names)] = values
        # One extra element, so that an empty document has a valid address.
        padded = np.zeros(n_tokens + 1, dtype=np.int8)
        if constraints is not None:
            constraints = np.asarray(constraints, dtype=np.int8)
            if constraints.shape != (n_tokens,):
                raise JointValueError(Errors.J001, shape=constraints.shape, n_columns=f"{n_tokens} constraints")
            padded[:n_tokens] = constraints
        if facts is None:
            padded_facts = NO_FACTS
        else:
            facts = np.asarray(facts, dtype=np.int32)
            if facts.ndim != 2 or facts.shape[0] != n_tokens:
                raise JointValueError(Errors.J001, shape=facts.shape, n_columns=f"the facts of {n_tokens} tokens")
            padded_facts = np.zeros((n_tokens + 1, max(facts.shape[1], 1)), dtype=np.int32)
            padded_facts[:n_tokens, : facts.shape[1]] = facts
        self.names = tuple(names)
        self.cells = cells
        self.constraints = padded
        self.c.cells = &self.cells[0, 0]
        self.c.constraints = &self.constraints[0]
        self.facts = padded_facts
        self.c.facts = &self.facts[0, 0]
        self.c.n_facts = 0 if facts is None else facts.shape[1]
        self.c.n_columns = self.cells.shape[1]
        self.c.n_tokens = n_tokens

    def __len__(self):
        return self.c.n_tokens

    def __reduce__(self):
        values = np.asarray(self.cells)[FIRST : FIRST + self.c.n_tokens, : len(self.names)]
        n_tokens = self.c.n_tokens
        facts = np.asarray(self.facts)[:n_tokens, : self.c.n_facts] if self.c.n_facts else None
        return (Columns, (self.names, values, np.asarray(self.constraints)[:n_tokens], facts))

    def with_facts(self, facts):
        """The same document with other facts (Columns): see above."""
        names, values, constraints, _ = self.__reduce__()[1]
        return Columns(names, values, constraints, facts)

    def split(self, constraint):
        """The columns of parts of the document, each as a separate document.

        constraint (int): A new part begins at each token with this constraint.
        RETURNS (list[Columns]): The parts, at least one.
        """
        names, values, constraints, facts = self.__reduce__()[1]
        starts = np.flatnonzero(constraints == constraint)
        starts = starts[starts > 0]
        arrays = [values, constraints] if facts is None else [values, constraints, facts]
        parts = zip(*(np.split(array, starts) for array in arrays), strict=True)
        return [Columns(names, *part) for part in parts]


def affix_columns(words, lengths):
    """Hashes of prefixes and suffixes, for features of unknown words.

    words (Sequence[str]): The words.
    lengths (Sequence[int]): Lengths of prefixes (positive) and suffixes (negative). The value is 0 ("nothing") for
        words that are not longer, so that whole words do not count as affixes.
    RETURNS (np.ndarray): The hashes (uint64, words x lengths).
    """
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
