"""A text of feature templates compiled to hash recipes over a system's atoms: see templates.pxd for the terms.

The text has one template a line: atoms joined by spaces. Blank lines divide it into blocks; `#` begins a comment.
"""

import hashlib
import re

import numpy as np

from ..errors import Errors

from .columns cimport PADDING


# Of the atoms from UNROLLED on.
cdef uint64_t[MAX_CONJOINED - UNROLLED] MULTIPLIERS
MULTIPLIERS[:] = [
    0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3,
]
cdef uint64_t[MAX_SLOTS] SLOT_MULTIPLIERS
ATOM = re.compile(r"(?P<slot>[^+\s]+?)(?P<offset>[+-]\d+)?\.(?P<column>[^.\s]+)$")


def _seed(text):
    return int.from_bytes(hashlib.sha256(text.encode("utf8")).digest()[:8], "little")


SLOT_MULTIPLIERS[:] = [_seed(f"slot {slot}") | 1 for slot in range(MAX_SLOTS)]


cdef class Templates:
    """Compiled feature templates.

    text (str): The templates.
    columns (Sequence[str]): Names of the columns that templates may name. Those that they do name are the columns of
        the documents to come.
    system (System): The system whose slots the templates name.
    RAISES ValueError: If a line names an unknown atom, or the text is empty or too large.
    """

    def __init__(self, text, columns, system):
        self.text = text
        # Documents carry no column that nothing reads: the less there is of a token, the more tokens stay at hand.
        lines = [line for block in _paragraphs(text) for _, line in block]
        read = {match["column"] for match in map(ATOM.match, " ".join(lines).split()) if match}
        known_columns = tuple(columns)
        self.columns = tuple(name for name in known_columns if name in read)
        token_slots, value_slots = system.token_slots(), system.value_slots()
        self.token_slots, self.value_slots = dict(token_slots), dict(value_slots)
        blocks, templates, atoms, block_slots = [], [], [], []
        for block in _paragraphs(text):
            block_atoms = []
            first_template = len(templates)
            for line_number, line in block:
                indices = []
                for name in line.split():
                    atom = self._atom(name, line_number, token_slots, value_slots, known_columns)
                    if atom not in block_atoms:
                        block_atoms.append(atom)
                    indices.append(block_atoms.index(atom))
                if len(indices) > MAX_CONJOINED:
                    raise ValueError(Errors.J012.format(line=line_number, n=len(indices), most=MAX_CONJOINED))
                templates.append((_seed(" ".join(line.split())), indices, len(indices)))
            if len(block_atoms) > MAX_BLOCK_ATOMS:
                raise ValueError(Errors.J013.format(line=block[0][0], n=len(block_atoms), most=MAX_BLOCK_ATOMS))
            for _, indices, n in templates[first_template:]:
                indices.extend([len(block_atoms)] * (MAX_CONJOINED - n))
            slots = sorted({atom[0] for atom in block_atoms})
            blocks.append(
                (
                    _seed(f"block {len(blocks)}"),
                    len(block_slots), len(slots),
                    len(atoms), len(block_atoms),
                    first_template, len(templates) - first_template,
                )
            )
            block_slots.extend(slots)
            atoms.extend(block_atoms)
        if not 1 <= len(templates) <= MAX_TEMPLATES:
            raise ValueError(Errors.J011.format(n=len(templates), most=MAX_TEMPLATES))
        self.n_blocks = len(blocks)
        self.n_templates = len(templates)
        block_dtype = np.dtype(
            [("seed", "u8")] + [(f"f{i}", "u4") for i in range(6)]
        )
        self.blocks = np.array(blocks, dtype=block_dtype)
        self.templates = np.array(templates, dtype=[("seed", "u8"), ("atoms", "u1", MAX_CONJOINED), ("n", "u8")])
        self.atoms = np.array(atoms, dtype=[("slot", "i4"), ("column", "i4"), ("offset", "i4")])
        self.block_slots = np.array(block_slots, dtype=np.uint16)

    def _atom(self, name, line_number, token_slots, value_slots, known_columns):
        if name in value_slots:
            return (value_slots[name], -1, 0)
        match = ATOM.match(name)
        if match and match["slot"] in token_slots and match["column"] in self.columns:
            offset = int(match["offset"] or 0)
            if abs(offset) <= PADDING:
                return (token_slots[match["slot"]], self.columns.index(match["column"]), offset)
        raise ValueError(
            Errors.J010.format(
                name=name,
                line=line_number,
                tokens=", ".join(token_slots),
                columns=", ".join(known_columns),
                values=", ".join(value_slots),
                most=PADDING,
            )
        )

    @property
    def fingerprint(self):
        """A digest of what features mean: a model read with another one is meaningless (str). Atoms are known by their
        names, so columns that no template reads do not matter."""
        blocks = ["\n".join(" ".join(line.split()) for _, line in block) for block in _paragraphs(self.text)]
        return hashlib.sha256("\n\n".join(blocks).encode("utf8")).hexdigest()[:16]

    @property
    def most_ahead(self):
        """How many tokens after a slot's own are read at most (int)."""
        return max(0, int(np.asarray(self.atoms)["offset"].max()))

    cdef uint64_t block_key(self, int block, const uint64_t* slots) noexcept nogil:
        cdef const BlockC* b = &self.blocks[block]
        cdef uint64_t h = b.seed
        cdef uint32_t i
        # A sum of products, because processors multiply several numbers at once.
        for i in range(b.first_slot, b.first_slot + b.n_slots):
            h += slots[self.block_slots[i]] * SLOT_MULTIPLIERS[self.block_slots[i]]
        return mix(h) | 1

    cdef int block_features(self, int block, const InputC* input, const uint64_t* slots, int bits,
                            uint64_t* hashes) noexcept nogil:
        cdef const BlockC* b = &self.blocks[block]
        cdef const AtomC* atom
        cdef const TemplateC* template
        cdef uint64_t[MAX_BLOCK_ATOMS + 1] values
        cdef uint64_t h
        cdef uint32_t i, j
        for i in range(b.n_atoms):
            atom = &self.atoms[b.first_atom + i]
            if atom.column < 0:
                values[i] = slots[atom.slot]
            else:
                values[i] = input.cells[(<long long>slots[atom.slot] + atom.offset) * input.n_columns + atom.column]
        values[b.n_atoms] = 0
        for i in range(b.n_templates):
            template = &self.templates[b.first_template + i]
            # Multiplying zeros costs less than guessing wrongly how many atoms come.
            h = (
                template.seed
                + values[template.atoms[0]] * <uint64_t>0x9E3779B97F4A7C15
                + values[template.atoms[1]] * <uint64_t>0xBF58476D1CE4E5B9
                + values[template.atoms[2]] * <uint64_t>0x94D049BB133111EB
                + values[template.atoms[3]] * <uint64_t>0xD6E8FEB86659FD93
            )
            for j in range(UNROLLED, template.n):
                h += values[template.atoms[j]] * MULTIPLIERS[j - UNROLLED]
            hashes[i] = mix(h) >> (64 - bits)
        return b.n_templates


def _paragraphs(text):
    """Blocks of (line number, template), without comments."""
    block = []
    for line_number, line in enumerate(text.splitlines(), 1):
        template = line.split("#")[0].strip()
        if template:
            block.append((line_number, template))
        elif block and not line.strip():
            yield block
            block = []
    if block:
        yield block
