"""Small systems, documents and weights for tests of the engine, and its scores computed in plain Python."""

import hashlib

import numpy as np

from spacy_joint.engine.beam import Search
from spacy_joint.engine.columns import Columns
from spacy_joint.engine.learner import Instance, Learner
from spacy_joint.engine.perceptron import Perceptron
from spacy_joint.engine.system import Walk
from spacy_joint.engine.templates import Templates
from spacy_joint.engine.weights import Weights
from spacy_joint.ordering.system import OrderingSystem
from spacy_joint.parsing.oracle import oracle_actions
from spacy_joint.parsing.system import JointSystem
from spacy_joint.tagging.system import TaggingSystem

JOINT = JointSystem(["l", "m"], ["r"], ["root"])
LATE = JointSystem(["l", "m"], ["r"], ["root"], "late")
TAGGING = TaggingSystem(["x", "y", "z"])
BOUNDED_TAGGING = TaggingSystem(["x", "y"], 1, True)
ORDERING = OrderingSystem()
COLUMNS = ("word", "tag")
TEMPLATES = {
    JointSystem: "s0.word\ns0.word b0.word\nb0.word b0+1.tag\n\ns1.word s0.word  # x\ns0.tag s0.left.label\n\nb0.flag",
    TaggingSystem: "w.word\nw-1.word w.word\nw+1.tag\n\ntag-1 w.tag\ntag-1 tag-2",
}
MASK = 2**64 - 1
MULTIPLIERS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
NOTHING, ROOT, FIRST = 8, 17, 26
ROOT_VALUE = 0x524F4F54


def templates_for(system):
    return Templates(TEMPLATES[type(system)], COLUMNS, system)


def make_search(system, width=4):
    return Search(system, templates_for(system), width)


def predict(system, weights, columns, width=4):
    return make_search(system, width).predict(weights, columns).tolist()


def blank_columns(n_tokens, constraints=None):
    return Columns(["word"], np.zeros((n_tokens, 1), dtype=np.uint64), constraints)


def random_values(n_tokens, seed=0):
    return np.random.default_rng(seed).integers(1, 6, (n_tokens, len(COLUMNS)), dtype=np.uint64)


def random_columns(n_tokens, seed=0, constraints=None):
    return Columns(COLUMNS, random_values(n_tokens, seed), constraints)


def all_kept(bits):
    """Keeps all features."""
    return np.full((1 << bits) // 8, 255, dtype=np.uint8)


def random_weights(system, seed=0, bits=12, scale=1.0):
    """Random weights. With a scale of 1, scores are small integers, which are exact in any order of summation."""
    weights = Weights(bits, system.row_width)
    averaged = np.random.default_rng(seed).integers(-127, 128, weights.n_cells).astype(np.int8)
    weights.set_averaged(averaged, all_kept(bits), scale)
    return weights


def zero_weights(system, bits=8):
    weights = Weights(bits, system.row_width)
    weights.set_averaged(np.zeros(weights.n_cells, dtype=np.int8), all_kept(bits), 1.0)
    return weights


def all_paths(walk_to, prefix=()):
    walk = walk_to(prefix)
    if walk.is_final:
        yield prefix
    for action in walk.legal():
        yield from all_paths(walk_to, (*prefix, action))


def walk_at_random(system, columns, seed, check=lambda walk: None):
    """Take random legal actions to the end, call `check` after each, and return the actions."""
    random = np.random.default_rng(seed)
    return walk_to_end(system, columns, random.choice, check)


def walk_to_end(system, columns, choose, check=lambda walk: None):
    """Take legal actions that `choose` picks to the end, call `check` after each, and return the actions."""
    walk, actions = Walk(system, columns), []
    while not walk.is_final:
        actions.append(int(choose(walk.legal())))
        walk.advance(actions[-1])
        check(walk)
    return np.array(actions, dtype=np.uint16)


def replay(system, columns, actions):
    """A walk after these actions; raises if one of them is illegal."""
    walk = Walk(system, columns)
    for action in actions:
        walk.advance(int(action))
    return walk


def mix(h):
    h ^= h >> 32
    h = h * 0xD6E8FEB86659FD93 & MASK
    h ^= h >> 32
    return h * 0x9E3779B97F4A7C15 & MASK


class NaiveScores:
    """Scores of actions by definition: for each template, the weights at the place of its hash in the table."""

    def __init__(self, system, values, weights):
        self.system, self.values, self.weights = system, values, weights
        lines = TEMPLATES[type(system)].splitlines()
        self.templates = [names for line in lines if (names := line.split("#")[0].split())]

    def _place(self, name):
        """Where an atom looks: a slot, an offset and a column, which is None for a value slot."""
        if name in self.system.value_slots:
            return name, 0, None
        slot, column = name.rsplit(".", 1)
        offset = 0
        for sign in "+-":
            if sign in slot:
                slot, distance = slot.split(sign)
                offset = int(sign + distance)
        return slot, offset, column

    def _atom(self, name, slots):
        slot, offset, column = self._place(name)
        if column is None:
            return slots[slot]
        row = slots[slot] + offset
        if row == ROOT:
            return ROOT_VALUE
        token = row - FIRST
        return int(self.values[token, COLUMNS.index(column)]) if 0 <= token < len(self.values) else 0

    def __call__(self, walk):
        slots, total = walk.slots(), np.zeros(self.system.row_width, dtype=np.float64)
        for names in self.templates:
            h = int.from_bytes(hashlib.sha256(" ".join(names).encode()).digest()[:8], "little")
            for name, multiplier in zip(names, MULTIPLIERS, strict=False):
                h = (h + self._atom(name, slots) * multiplier) & MASK
            at = mix(h) >> (64 - self.weights.bits)
            total += self.weights.averaged[at : at + len(total)]
        return total * self.weights.scale


def path_score(scores, columns, actions):
    walk, total = Walk(scores.system, columns), 0.0
    for action in actions:
        total += scores(walk)[action]
        walk.advance(int(action))
    return total


def tagging_problem():
    """Documents whose tags follow from their words, and the gold actions."""
    values = [random_values(8, seed) for seed in range(6)]
    return [(Columns(COLUMNS, each), (each[:, 0] % 3).astype(np.uint16)) for each in values]


def parsing_problem():
    """Documents of sentences "1 2 3" and "4 5", whose trees follow from their words, and the gold actions."""
    sentences = {"a": ([1, 2, 3], [1, 1, 1], ["l", "root", "r"]), "b": ([4, 5], [1, 1], ["m", "root"])}
    documents = []
    for pattern in ("ab", "ba", "aab", "bba"):
        words, heads, labels, starts = [], [], [], []
        for own, arcs, names in (sentences[sentence] for sentence in pattern):
            heads += [len(words) + head for head in arcs]
            starts += [place == 0 for place in range(len(own))]
            words += own
            labels += names
        values = np.stack([words, words], axis=1).astype(np.uint64)
        documents.append((Columns(COLUMNS, values), oracle_actions(JOINT, np.array(heads), labels, starts)))
    return documents


PROBLEMS = {"tagging": (TAGGING, tagging_problem()), "parsing": (JOINT, parsing_problem())}


def fresh_weights(system, bits=14):
    weights = Weights(bits, system.row_width)
    weights.start_training()
    return weights


def make_learner(system, weights=None, width=4, **settings):
    return Learner(weights or fresh_weights(system), system, templates_for(system), width, **settings)


def make_perceptron(system=TAGGING, templates=None, columns=COLUMNS, **settings):
    defaults = {"table_bits": 10, "beam_width": 4, "update_strategy": "dlaso", "rule": "perceptron"}
    defaults |= {"aggressiveness": 1.0, "min_changes": 1, "n_tables": 1, "threads": 1}
    perceptron = Perceptron(**defaults | settings)
    perceptron.set_up(system, templates or TEMPLATES[type(system)], columns)
    return perceptron


def train(system, problem, n_epochs=1, batch_size=1, dropout=0.0, weights=None, **settings):
    """Train; return the weights and the reports of the updates."""
    learner = make_learner(system, weights, **settings)
    instances = [Instance(columns, actions) for columns, actions in problem]
    batches = [instances[at : at + batch_size] for at in range(0, len(instances), batch_size)]
    reports = [learner.update(batch, dropout) for _ in range(n_epochs) for batch in batches]
    return learner.weights, reports
