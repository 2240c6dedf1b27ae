"""Compiling a text of feature templates to hash recipes over a system's atoms: see templates.pxd for the terms.

The text has one template per line: atoms separated by spaces. Blank lines separate blocks; `#` starts a comment.
"""

import hashlib
import re

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


cdef class Templates:
    """Compiled feature templates.

    text (str): The templates.
    columns (Sequence[str]): The names of the columns that templates can use. Documents must have those that are used.
    system (System): The system with the slots that templates can use.
    RAISES ValueError: If a line has an unknown atom, a block has slots of different kinds of parts, or the text is
        empty or too large.
    """

    def __cinit__(self, text, columns, system):
        self.text = text
        # Unused columns are left out of documents: fewer values per token mean fewer cache misses.
        lines = [line for block in _paragraphs(text) for _, line in block]
        read = {match["column"] for match in map(ATOM.match, " ".join(lines).split()) if match}
        known_columns = tuple(columns)
        self.columns = tuple(name for name in known_columns if name in read)
        token_slots, value_slots = system.token_slots(), system.value_slots()
        self.token_slots, self.value_slots = dict(token_slots), dict(value_slots)
        parts = [set(part) for part in system.parts()]
        blocks, templates, atoms, products, block_slots = [], [], [], [], []
        blocks_of_part = [[] for _ in parts]
        for block in _paragraphs(text):
            block_atoms, conjoined = [], []
            for line_number, line in block:
                names = line.split()
                if len(names) > MAX_CONJOINED:
                    raise JointValueError(Errors.J012, line=line_number, n=len(names), most=MAX_CONJOINED)
                of_line = [self._atom(name, line_number, known_columns) for name in names]
                conjoined.append(of_line)
                block_atoms.extend(atom for atom in dict.fromkeys(of_line) if atom not in block_atoms)
            if len(block_atoms) > MAX_BLOCK_ATOMS:
                raise JointValueError(Errors.J013, line=block[0][0], n=len(block_atoms), most=MAX_BLOCK_ATOMS)
            # Columns before values, so that neither is a branch.
            block_atoms.sort(key=lambda atom: atom[1] is None)
            block_products = list(dict.fromkeys(
                (atom, multiplier) for atoms_ in conjoined for atom, multiplier in zip(atoms_, MULTIPLIERS)
            ))
            if len(block_products) > MAX_BLOCK_PRODUCTS:
                raise JointValueError(Errors.J013, line=block[0][0], n=len(block_products), most=MAX_BLOCK_PRODUCTS)
            slots = sorted({slot for slot, _, _ in block_atoms})
            blocks_of_part[self._part_of(slots, parts)].append(len(blocks))
            blocks.append(
                (
                    _seed(f"block {len(blocks)}"),
                    len(block_slots), len(slots),
                    len(atoms), len(block_atoms), sum(column is not None for _, column, _ in block_atoms),
                    len(products), len(block_products),
                    len(templates), len(block),
                )
            )
            for (_, line), atoms_ in zip(block, conjoined):
                numbers = [block_products.index(pair) for pair in zip(atoms_, MULTIPLIERS)]
                padding = [len(block_products)] * (MAX_CONJOINED - len(numbers))
                templates.append((_seed(" ".join(line.split())), numbers + padding, len(numbers)))
            width = max(len(self.columns), 1)
            atoms.extend(
                (slot, 0 if column is None else offset * width + column) for slot, column, offset in block_atoms
            )
            products.extend((multiplier, block_atoms.index(atom)) for atom, multiplier in block_products)
            block_slots.extend(slots)
        if not 1 <= len(templates) <= MAX_TEMPLATES:
            raise JointValueError(Errors.J011, n=len(templates), most=MAX_TEMPLATES)
        self.n_blocks = self.recipes.n_blocks = len(blocks)
        self.n_templates = self.recipes.n_templates = len(templates)
        self.recipes.n_slots = system.n_slots
        self.recipes.n_columns = len(self.columns)
        block_dtype = np.dtype([("seed", "u8")] + [(f"f{i}", "u4") for i in range(9)], align=True)
        template_dtype = np.dtype([("seed", "u8"), ("products", "u2", MAX_CONJOINED), ("n", "u4")], align=True)
        product_dtype = np.dtype([("multiplier", "u8"), ("atom", "u4")], align=True)
        self.blocks = np.array(blocks, dtype=block_dtype)
        self.templates = np.array(templates, dtype=template_dtype)
        self.atoms = np.array(atoms, dtype=[("slot", "i4"), ("offset", "i4")])
        self.products = np.array(products, dtype=product_dtype)
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
        for slots, read in (
            (system.token_slots(), self.token_slots), (system.value_slots(), self.value_slots)
        ):
            for name, number in [*read.items(), *slots.items()]:
                if slots.get(name) != number or read.get(name) != number:
                    raise JointValueError(
                        Errors.J040, what="slot of the templates", name=name, known=", ".join(slots)
                    )
        return 0

    def _atom(self, name, line_number, known_columns):
        """The slot of an atom, its column (None for a value slot) and the offset of its token."""
        if name in self.value_slots:
            slot = self.value_slots[name]
            return (slot, None, 0)
        match = ATOM.match(name)
        if match and match["slot"] in self.token_slots and match["column"] in self.columns:
            offset = int(match["offset"] or 0)
            if abs(offset) <= PADDING:
                self.max_ahead = max(self.max_ahead, offset)
                return (self.token_slots[match["slot"]], self.columns.index(match["column"]), offset)
        raise JointValueError(
            Errors.J010,
            name=name,
            line=line_number,
            tokens=", ".join(self.token_slots),
            columns=", ".join(known_columns),
            values=", ".join(self.value_slots),
            most=PADDING,
        )

    def _part_of(self, slots, parts):
        """The kind of part whose slots a block reads."""
        for number, part in enumerate(parts):
            if part.issuperset(slots):
                return number
        names = [name for name, slot in {**self.token_slots, **self.value_slots}.items() if slot in slots]
        raise JointValueError(Errors.J354, names=", ".join(names))

    @property
    def fingerprint(self):
        """A digest of the features (str): weights are only valid with the same one. It does not depend on the order of
        templates, the division into blocks, or unused columns."""
        lines = sorted(" ".join(line.split()) for block in _paragraphs(self.text) for _, line in block)
        return hashlib.sha256("\n".join(lines).encode("utf8")).hexdigest()[:16]


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
