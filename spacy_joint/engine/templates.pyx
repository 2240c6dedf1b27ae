"""Compiles feature templates to hash recipes: see templates.pxd for the terms. The text has one template per line:
atoms separated by spaces. Blank lines separate blocks; `#` starts a comment."""

import hashlib
import re
from itertools import chain

import numpy as np

from ..errors import Errors, JointValueError

from .columns cimport PADDING
from .system cimport MAX_PARTS, MAX_SLOTS, System


# The multipliers of atoms, by position in the template.
MULTIPLIERS = (
    0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93,
    0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3,
)
ATOM = re.compile(r"(?P<slot>[^+\s]+?)(?P<offset>[+-]\d+)?\.(?P<column>[^.\s]+)$")


def _seed(text):
    return int.from_bytes(hashlib.sha256(text.encode("utf8")).digest()[:8], "little")


def _pack(rows, fields):
    return np.array(rows, dtype=np.dtype(fields, align=True))


def _require_few(items, most, what, line):
    if len(items) > most:
        raise JointValueError(Errors.J012, what=what, line=line, n=len(items), most=most)


cdef class Templates:
    """Compiled feature templates.

    columns (Sequence[str]): The names of the columns that templates can use. Documents must have those that templates
        use.
    RAISES ValueError: If an atom is unknown, a block reads slots of several kinds of parts, or there is too much or no
        text.
    """

    def __cinit__(self, text, columns, system):
        self.text = text
        paragraphs = list(_paragraphs(text))
        lines = [line for paragraph in paragraphs for _, line in paragraph]
        self.fingerprint = hashlib.sha256("\n".join(sorted(lines)).encode("utf8")).hexdigest()[:16]
        # Unused columns are left out of documents: fewer values per token mean fewer cache misses.
        read = {match["column"] for match in map(ATOM.match, " ".join(lines).split()) if match}
        known_columns = tuple(columns)
        self.columns = tuple(name for name in known_columns if name in read)
        self.token_slots, self.value_slots = system.token_slots, system.value_slots
        parts = [set(part) for part in system.parts()]
        blocks, templates, atoms, products, block_slots = [], [], [], [], []
        blocks_of_part = [[] for _ in parts]
        width = max(len(self.columns), 1)
        for paragraph in paragraphs:
            first_line = paragraph[0][0]
            # By template; then those of the block, columns before values, so that reading them needs no branches.
            found = [self._atoms(line, number, known_columns) for number, line in paragraph]
            own_atoms = sorted(dict.fromkeys(chain.from_iterable(found)), key=lambda atom: atom[1] is None)
            _require_few(own_atoms, MAX_BLOCK_ATOMS, "A block", first_line)
            multiplied = [list(zip(conjoined, MULTIPLIERS)) for conjoined in found]
            own_products = list(dict.fromkeys(chain.from_iterable(multiplied)))
            _require_few(own_products, MAX_BLOCK_PRODUCTS, "A block", first_line)
            own_slots = sorted({slot for slot, _, _ in own_atoms})
            n_columns = sum(column is not None for _, column, _ in own_atoms)
            blocks_of_part[self._part_of(own_slots, parts)].append(len(blocks))
            # The fields of BlockC: where its slots, atoms, products and templates begin, and their numbers.
            blocks.append((
                _seed(f"block {len(blocks)}"), len(block_slots), len(own_slots), len(atoms), len(own_atoms), n_columns,
                len(products), len(own_products), len(templates), len(paragraph),
            ))
            block_slots += own_slots
            atoms += [(slot, 0 if column is None else offset * width + column) for slot, column, offset in own_atoms]
            products += [(multiplier, own_atoms.index(atom)) for atom, multiplier in own_products]
            for (_, line), pairs in zip(paragraph, multiplied):
                numbers = [own_products.index(pair) for pair in pairs]
                padding = [len(own_products)] * (MAX_CONJOINED - len(numbers))
                templates.append((_seed(line), numbers + padding, len(numbers)))
        if not 1 <= len(templates) <= MAX_TEMPLATES:
            raise JointValueError(Errors.J011, n=len(templates), most=MAX_TEMPLATES)
        self.n_blocks = self.recipes.n_blocks = len(blocks)
        self.n_templates = self.recipes.n_templates = len(templates)
        self.recipes.n_slots = system.n_slots
        self.blocks = _pack(blocks, [("seed", "u8"), *((f"f{i}", "u4") for i in range(9))])
        self.templates = _pack(templates, [("seed", "u8"), ("products", "u2", MAX_CONJOINED), ("n", "u4")])
        self.atoms = _pack(atoms, [("slot", "i4"), ("offset", "i4")])
        self.products = _pack(products, [("multiplier", "u8"), ("atom", "u4")])
        self.block_slots = np.array(block_slots, dtype=np.uint16)
        self.part_blocks = np.array([block for part in blocks_of_part for block in part], dtype=np.uint16)
        self.recipes.blocks = &self.blocks[0]
        self.recipes.templates = &self.templates[0]
        self.recipes.atoms = &self.atoms[0]
        self.recipes.products = &self.products[0]
        self.recipes.block_slots = &self.block_slots[0]
        self.recipes.part_blocks = &self.part_blocks[0]
        self.recipes.part_start[0] = 0
        for part in range(MAX_PARTS):
            n_of_part = len(blocks_of_part[part]) if part < len(parts) else 0
            self.recipes.part_start[part + 1] = self.recipes.part_start[part] + n_of_part
        for slot in range(MAX_SLOTS):
            self.recipes.slot_multipliers[slot] = _seed(f"slot {slot}") | 1

    cdef int check(self, System system) except -1:
        slots = {**system.token_slots, **system.value_slots}
        for name, _ in sorted(slots.items() ^ {**self.token_slots, **self.value_slots}.items()):
            raise JointValueError(Errors.J040, name="slot of the templates", value=name, allowed=", ".join(slots))
        return 0

    def _atoms(self, line, line_number, known_columns):
        """Returns the atoms of a template: the slot, the column (None for a value slot) and the offset of the token."""
        names = line.split()
        _require_few(names, MAX_CONJOINED, "A template", line_number)
        return [self._atom(name, line_number, known_columns) for name in names]

    def _atom(self, name, line_number, known_columns):
        if name in self.value_slots:
            return (self.value_slots[name], None, 0)
        match = ATOM.match(name)
        if match and match["slot"] in self.token_slots and match["column"] in self.columns:
            offset = int(match["offset"] or 0)
            if abs(offset) <= PADDING:
                self.max_ahead = max(self.max_ahead, offset)
                return (self.token_slots[match["slot"]], self.columns.index(match["column"]), offset)
        tokens, columns, values = map(", ".join, (self.token_slots, known_columns, self.value_slots))
        raise JointValueError(
            Errors.J010, name=name, line=line_number, tokens=tokens, columns=columns, values=values, most=PADDING
        )

    def _part_of(self, slots, parts):
        for number, part in enumerate(parts):
            if part.issuperset(slots):
                return number
        names = [name for name, slot in {**self.token_slots, **self.value_slots}.items() if slot in slots]
        raise JointValueError(Errors.J354, names=", ".join(names))


def _paragraphs(text):
    """Yields blocks of (line number, template), without comments, and with single spaces."""
    block = []
    for line_number, line in enumerate(text.splitlines(), 1):
        template = " ".join(line.split("#")[0].split())
        if template:
            block.append((line_number, template))
        elif block and not line.strip():
            yield block
            block = []
    if block:
        yield block
