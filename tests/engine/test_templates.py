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


def test_each_line_is_a_template_and_each_paragraph_a_block():
    templates = compile_for_joint("s0.word\ns0.tag s1.tag\n\nb0.word\n\n\n\nb0.flag\n")
    assert (templates.n_templates, templates.n_blocks) == (4, 3)


def test_comments_are_not_templates_and_do_not_separate_blocks():
    templates = compile_for_joint("# Words.\ns0.word  # of the stack\n# more\ns1.word")
    assert (templates.n_templates, templates.n_blocks) == (2, 1)


@pytest.mark.parametrize(
    ("text", "n"), [("", 0), ("\n\n", 0), ("# nothing", 0), ("  \n\t\n", 0), ("s0.word\n" * 513, 513)]
)
def test_there_are_1_to_512_templates(text, n):
    with pytest.raises(ValueError, match=rf"J011.*have {n} lines.*1 to 512"):
        compile_for_joint(text)


def check_search(templates, system=JOINT, n_tokens=5):
    """Whether a search with templates ends."""
    columns = Columns(templates.columns, random_values(n_tokens, 0)[:, : len(templates.columns)])
    actions = Search(system, templates, 3).predict(random_weights(system), columns)
    assert replay(system, columns, actions).is_final


def test_documents_need_only_the_columns_that_templates_read():
    templates = compile_for_joint("# not s0.tag\ns0.word b0.word")
    assert templates.columns == ("word",)


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


def test_slots_of_a_system_are_read_only():
    with pytest.raises(TypeError):
        JOINT.token_slots["s0"] = 1 << 20


@pytest.mark.parametrize("offset", ["+9", "-9", "+100", "-99999999999999999999"])
def test_offsets_beyond_eight_are_refused(offset):
    with pytest.raises(ValueError, match=r"J010.*line 2"):
        compile_for_joint(f"s0.word\nb0{offset}.word")


@pytest.mark.parametrize(
    "atom",
    [
        "word",
        # Of another system.
        "w.word",
        "s9.word",
        "s0.lemma",
        "s0.",
        ".word",
        "s0",
        "s0..word",
        "s0+.word",
        "s0+1+1.word",
        "B0.word",
        "b0.flag+1",
    ],
)
def test_an_unknown_atom_is_refused_with_its_line_and_the_known_ones(atom):
    with pytest.raises(ValueError, match=r"J010.*in line 4 .*s0, s1.*word, tag.*b0\.flag") as error:
        compile_for_joint(f"# comment\ns0.word\n\ns0.tag {atom}")
    assert f"'{atom}'" in str(error.value)


def test_columns_missing_from_the_documents_are_unknown():
    with pytest.raises(ValueError, match=r"J010.*'s0\.tag'"):
        compile_for_joint("s0.tag", ["word"])


def test_no_more_than_eight_atoms_can_be_joined():
    assert compile_for_joint("s0.word " * 8).n_templates == 1
    with pytest.raises(ValueError, match=r"J012.*line 2 .*9 atoms.*8"):
        compile_for_joint("s0.word\n" + "s0.word " * 9)


def atoms(n):
    """Different atoms."""
    slots = ("s0", "s1", "s2", "b0")
    return [f"{slot}{offset:+}.{column}" for slot in slots for offset in range(-8, 9) for column in COLUMNS][:n]


def lines_of(names):
    return "\n".join(" ".join(names[i : i + 4]) for i in range(0, len(names), 4))


def test_a_block_with_the_maximum_number_of_atoms_is_searched():
    check_search(compile_for_joint(lines_of(atoms(128))))


def test_a_block_of_too_many_atoms_is_refused_with_its_first_line():
    with pytest.raises(ValueError, match=r"J012.*line 3 .*129 atoms.*128"):
        compile_for_joint("s0.word\n\n" + lines_of(atoms(129)))


def test_too_many_atoms_are_fine_in_two_blocks():
    assert compile_for_joint(lines_of(atoms(64)) + "\n\n" + lines_of(atoms(129)[64:])).n_blocks == 2


LINES = ["s0.word", "s0.tag s1.tag", "s0.tag b0+1.tag", "b0.flag s0.word", "s1.tag s0.tag"]


@QUICK
@given(
    st.permutations(LINES), st.lists(st.sampled_from(["\n", "\n\n", "\n# more\n", " # x\n "]), min_size=4, max_size=4)
)
def test_the_fingerprint_ignores_order_and_layout_and_the_order_of_columns(lines, gaps):
    text = "".join(line.replace(" ", "   ") + gap for line, gap in zip(lines, [*gaps, ""], strict=True))
    assert compile_for_joint(text, COLUMNS[::-1]).fingerprint == compile_for_joint("\n".join(LINES)).fingerprint


@pytest.mark.parametrize("text", ["s1.word s0.word", "s0.word", "s0.word s1.word\ns2.word"])
def test_other_templates_have_another_fingerprint(text):
    assert compile_for_joint(text).fingerprint != compile_for_joint("s0.word s1.word").fingerprint


@pytest.mark.parametrize("place", range(len(LINES)))
def test_the_fingerprint_depends_on_each_template(place):
    whole = compile_for_joint("\n".join(LINES)).fingerprint
    for changed in ([], ["s0.tag"], [LINES[place]] * 2, [*LINES[place].split(), "s2.word"]):
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


def test_each_block_may_describe_another_part():
    text = "a.word b.word\n\nleft.word right.word\n\nit.word place from.left\n\nlast.word head.word\n\nb.word"
    assert Templates(text, COLUMNS, ORDERING).n_blocks == 5


def test_a_block_may_name_all_slots_of_a_system_with_one_kind_of_part():
    slots = [f"{slot}.word" for slot in JOINT.token_slots] + list(JOINT.value_slots)
    assert compile_for_joint("\n".join(slots)).n_blocks == 1


@QUICK
@given(st.text(alphabet="s0b1.+-word tag#\n3"))
def test_any_text_is_compiled_or_refused_by_a_coded_error(text):
    try:
        assert compile_for_joint(text).n_templates >= 1
    except ValueError as error:
        assert str(error).startswith("[J01")


@pytest.mark.parametrize("wrong", [None, 3, b"s0.word"])
def test_templates_that_are_not_text_are_refused(wrong):
    with pytest.raises((TypeError, AttributeError)):
        Templates(wrong, COLUMNS, JOINT)
