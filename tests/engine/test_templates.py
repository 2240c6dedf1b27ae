"""Feature templates: their syntax, and errors that name the line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_joint.engine.beam import Search
from spacy_joint.engine.columns import Columns
from spacy_joint.engine.templates import Templates

from .toys import COLUMNS, JOINT, ORDERING, TAGGING, random_values, random_weights, replay

QUICK = settings(max_examples=100)


def compile_for_joint(text, columns=COLUMNS):
    return Templates(text, columns, JOINT)


def test_each_line_is_a_template_and_each_paragraph_a_block_and_comments_are_neither():
    templates = compile_for_joint("s0.word\ns0.tag s1.tag\n\nb0.word\n\n\n\nb0.flag\n")
    assert (templates.n_templates, templates.n_blocks) == (4, 3)
    templates = compile_for_joint("# Words.\ns0.word  # of the stack\n# more\ns1.word")
    assert (templates.n_templates, templates.n_blocks) == (2, 1)
    # Documents need only the columns that templates read.
    assert compile_for_joint("# not s0.tag\ns0.word b0.word").columns == ("word",)


def check_search(templates, system=JOINT, n_tokens=5):
    """Whether a search with templates ends."""
    columns = Columns(templates.columns, random_values(n_tokens, 0)[:, : len(templates.columns)])
    actions = Search(system, templates, 3).predict(random_weights(system), columns)
    assert replay(system, columns, actions).is_final


def test_the_maximum_number_of_templates_can_be_compiled_and_searched():
    templates = compile_for_joint("\n\n".join(["s0.word b0.word"] * 512))
    assert (templates.n_templates, templates.n_blocks) == (512, 512)
    check_search(templates)


@pytest.mark.parametrize("offset", ["+8", "-8", "+1", "-0"])
@pytest.mark.parametrize("system", [JOINT, TAGGING])
def test_offsets_up_to_eight_can_be_searched_at_both_ends_of_a_document(offset, system):
    slots = system.token_slots
    templates = Templates("\n".join(f"{slot}{offset}.word" for slot in slots), COLUMNS, system)
    for n_tokens in (1, 3):
        check_search(templates, system, n_tokens)
    with pytest.raises(TypeError):
        system.token_slots[next(iter(system.token_slots))] = 1 << 20


ATOMS = ["word", "w.word", "s9.word", "s0.lemma", "s0.", ".word", "s0", "s0..word", "s0+.word", "s0+1+1.word"]
ATOMS += ["B0.word", "b0.flag+1"]


@pytest.mark.parametrize("atom", ATOMS)
def test_an_unknown_atom_is_refused_with_its_line_and_the_known_ones(atom):
    with pytest.raises(ValueError, match=r"J010.*in line 4 .*s0, s1.*word, tag.*b0\.flag") as error:
        compile_for_joint(f"# comment\ns0.word\n\ns0.tag {atom}")
    assert f"'{atom}'" in str(error.value)


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        *((text, COLUMNS, "J011.*have 0 lines.*1 to 512") for text in ("", "\n\n", "# nothing", "  \n\t\n")),
        ("s0.word\n" * 513, COLUMNS, "J011.*have 513 lines.*1 to 512"),
        # Columns that the documents lack.
        ("s0.tag", ["word"], r"J010.*'s0\.tag'"),
        *((f"s0.word\nb0{far}.word", COLUMNS, r"J010.*line 2") for far in ("+9", "-9", "+100", f"-{10**20}")),
        ("s0.word\n" + "s0.word " * 9, COLUMNS, r"J012.*line 2 .*9 atoms.*8"),
    ],
)
def test_columns_offsets_and_numbers_of_atoms_out_of_range_are_refused(text, columns, message):
    assert compile_for_joint("s0.word " * 8).n_templates == 1
    with pytest.raises(ValueError, match=message):
        compile_for_joint(text, columns)


def atoms(n):
    """Different atoms."""
    slots = ("s0", "s1", "s2", "b0")
    return [f"{slot}{offset:+}.{column}" for slot in slots for offset in range(-8, 9) for column in COLUMNS][:n]


def lines_of(names):
    return "\n".join(" ".join(names[i : i + 4]) for i in range(0, len(names), 4))


def test_a_block_has_a_maximum_number_of_atoms():
    check_search(compile_for_joint(lines_of(atoms(128))))
    with pytest.raises(ValueError, match=r"J012.*line 3 .*129 atoms.*128"):
        compile_for_joint("s0.word\n\n" + lines_of(atoms(129)))
    assert compile_for_joint(lines_of(atoms(64)) + "\n\n" + lines_of(atoms(129)[64:])).n_blocks == 2


LINES = ["s0.word", "s0.tag s1.tag", "s0.tag b0+1.tag", "b0.flag s0.word", "s1.tag s0.tag"]


@QUICK
@given(
    st.permutations(LINES), st.lists(st.sampled_from(["\n", "\n\n", "\n# more\n", " # x\n "]), min_size=4, max_size=4)
)
def test_the_fingerprint_ignores_order_and_layout_and_the_order_of_columns(lines, gaps):
    text = "".join(line.replace(" ", "   ") + gap for line, gap in zip(lines, [*gaps, ""], strict=True))
    assert compile_for_joint(text, COLUMNS[::-1]).fingerprint == compile_for_joint("\n".join(LINES)).fingerprint


def test_the_fingerprint_depends_on_each_template_and_the_order_of_its_atoms():
    for text in ("s1.word s0.word", "s0.word", "s0.word s1.word\ns2.word"):
        assert compile_for_joint(text).fingerprint != compile_for_joint("s0.word s1.word").fingerprint
    whole = compile_for_joint("\n".join(LINES)).fingerprint
    for place, line in enumerate(LINES):
        for changed in ([], ["s0.tag"], [line] * 2, [*line.split(), "s2.word"]):
            lines = [*LINES[:place], *changed, *LINES[place + 1 :]]
            assert compile_for_joint("\n".join(lines)).fingerprint != whole


@pytest.mark.parametrize(
    ("block", "names"),
    [
        ("a.word\nlast.word", "a, last"),
        ("a.word left.word", "a, left"),
        ("it.word place\nb.word", "b, it, place"),
        ("place\nlast.word head.word", "last, head, place"),
    ],
)
def test_a_block_that_describes_several_parts_is_refused(block, names):
    with pytest.raises(ValueError, match=rf"J354.*names {names},"):
        Templates("a.word b.word\n\n" + block, COLUMNS, ORDERING)


def test_each_block_may_describe_another_part_and_name_all_its_slots():
    text = "a.word b.word\n\nleft.word right.word\n\nit.word place from.left\n\nlast.word head.word\n\nb.word"
    assert Templates(text, COLUMNS, ORDERING).n_blocks == 5
    slots = [f"{slot}.word" for slot in JOINT.token_slots] + list(JOINT.value_slots)
    assert compile_for_joint("\n".join(slots)).n_blocks == 1


@QUICK
@given(st.text(alphabet="s0b1.+-word tag#\n3"))
def test_any_text_is_compiled_or_refused_by_a_coded_error(text):
    try:
        assert compile_for_joint(text).n_templates >= 1
    except ValueError as error:
        assert str(error).startswith("[J01")
    for wrong in (None, 3, text.encode()):
        with pytest.raises((TypeError, AttributeError)):
            compile_for_joint(wrong)
