"""The needs of users of quotation tools, one section per need, with the tools and issues that document them."""

import json
import re
import time

import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_joint.errors import JointValueError
from spacy_joint.quotation.quotations import get_quotations
from spacy_joint.quotation.writing import describe_document

from ..cases import cases, read_cases
from .conftest import read_tree


def texts(doc):
    return [content.text for quotation in doc._.quotations for content in quotation.contents]


@pytest.fixture
def find(unparsed):
    return lambda text: texts(unparsed(text))


def find_with(text, **config):
    nlp = spacy.blank("en")
    nlp.add_pipe("quotation_spans", config=config)
    return texts(nlp(text))


# 1. Unbalanced marks never raise, nor shift later pairs (textacy #379).


@pytest.mark.parametrize("stray", ["“", "”", '"', '5"', "“ “"])
def test_a_stray_mark_does_not_shift_later_pairs(find, stray):
    quoted = ["“We are here now,”", "“We stay here.”"]
    assert find(f"A {stray} stray mark.\n\nIt rained.\n\n{quoted[0]} he said. {quoted[1]}") == quoted


# 2. Marks are paired by glyph, in all styles; single ones by option (textacy #379, spaCy #13883).


@pytest.mark.parametrize(
    "quoted",
    [
        *("“We are here.”", '"We are here."', "„We are here.“", "„We are here.”", "«We are here.»", "「We are here.」"),
        *("“ We are here . ”", '" We are here . "', "„ We are here . “", "”We are here.”"),
    ],
)
def test_marks_of_all_styles_are_paired(find, quoted):
    assert find(f"She said: {quoted} Then she left.") == [quoted]


@cases("""
text → quoted
# a second opening mark replaces the first
He said “oh dear, “We are here now,” again. → “We are here now,”
# a document may end inside a quotation
“We are here,” she said. “We will → “We are here,”
# marks of different styles do not pair
She said: “We are here.» Then she left. →
# straight and curly marks pair
“We are late" said Ann. "We know”, said Bob. → “We are late" | "We know”
# single marks within double ones do not quote
“He said ‘no,’ and the dogs’ master said ‘yes,’” she told us. “Well?” The sign said ‘Stop now.’
→ “He said ‘no,’ and the dogs’ master said ‘yes,’” | “Well?”
# marks within others do not decide which marks quote
‘He called “Stop!” and I said “No,” and then “Go!” was all he said.’ It was late.
→ ‘He called “Stop!” and I said “No,” and then “Go!” was all he said.’
# the space beside a mark may be on its wrong side
"Is it late? "he asked. ¶ "It is, "said Ann. "We must go, "she added. → "Is it late? " | "It is, " | "We must go, "
# marks around a name in speech may be the same
“She reads the “Post,” as we all do, and snuffs the candles. Is that all?” he asked. “No.” It was late.
→ “She reads the “Post,” as we all do, and snuffs the candles. Is that all?” | “No.”
# straight marks may be nested
"She told me "go home," and I did," said Ann. "Then I cried." → "She told me "go home," and I did," | "Then I cried."
# marks of tokenised text are paired
' You are late , ' said Ann . ' Come in ! ' The boys ' father came . ' Well ? '
→ ' You are late , ' | ' Come in ! ' | ' Well ? '
# quoted verse goes on over lines
She began to sing: ¶ “The river rose above the wall,⏎And took the garden;⏎  We heard him call.” ¶ Then “Stop it,” said
Tom. → “The river rose above the wall,⏎And took the garden;⏎  We heard him call.” | “Stop it,”
# each stanza may have an opening mark
“The river rose above the wall,⏎And took the garden. ¶ “We heard the ferryman,⏎And waited.” ¶ That was all.
→ “The river rose above the wall,⏎And took the garden. ¶ “We heard the ferryman,⏎And waited.”
# a letter in marks within speech is part of it
“He writes: ‘We are late, and we know it.’ That is all,” said Ann.
→ “He writes: ‘We are late, and we know it.’ That is all,”
# a quoted sentence within a sentence is a quotation
She turned and told them “We are here to stay.” → “We are here to stay.”
# names and scare quotes are not quotations
John "Buddy" Holt won. →
The novel "War And Peace" is long. →
The so-called “experts” came. →
THE “BIG NIGHT” IS HERE →
A "" b. →
The show “Days And Nights.” is over. →
She wants a city that is “open to all of us who live here.” →
What people here call “the house,” was closed. →
It was, in a way, “tall,” and green. →
They played “The Poet and the Peasant.” →
The gallery that showed them, “Blau,” closed in May. →
# without a parser there is no indirect speech
The mayor said that the bridge would open in May. →
""")
def test_marks_are_paired(find, text, quoted):
    assert find(text) == quoted


@pytest.mark.parametrize(
    "quoted",
    [
        ["‘It’s the dogs’ turn,’", "‘They’re right.’"],
        ["'It's the dogs' turn,'", "'They're right.'"],
        ["‘I’m goin’ to th’ Joneses’ house, an’ you know it,’", "‘’Tis all o’ ’em.’"],
        ["'I'm goin' to th' Joneses' house, an' you know it,'", "'There's all o' 'em.'"],
        ["‘He told me “I’m late,” and went,’", "‘So?’"],
        ["‘’Tis late, an’ I’m cold,’", "‘I’m not.’"],
        ["'Well, 'Arry, the '90s are over, 'tis true,'", "'Ow, no.'"],
    ],
)
def test_single_marks_quote_where_speech_is_in_them_and_apostrophes_never_do(find, quoted):
    text = f"{quoted[0]} said the boys’ father. {quoted[1]} The dogs’ master took ’em home."
    assert find(text) == quoted
    assert find_with(text, single_quotes=False) == re.findall("“.*?”", text)


@pytest.mark.parametrize("apostrophe", ["'", "’"])
def test_apostrophes_alone_are_no_marks(find, apostrophe):
    assert find("'Tis the dogs' turn, and we took 'em. They're goin' home.".replace("'", apostrophe)) == []


@pytest.mark.parametrize("mark", ["'", '"', "’"])
@cases("""
text → quoted
It was ' full of dust . ' The boy coughed . ' Open a window ! ' The girl laughed . ' I will , ' she said .
→ ' Open a window ! ' | ' I will , '
He was a ' masher . ' His coat was new . Ann called him ' a fop . ' ' Well ? ' he asked . → ' Well ? '
""")
def test_words_in_marks_do_not_shift_the_pairs_of_tokenised_text(find, mark, text, quoted):
    assert find(text.replace("'", mark)) == [run.replace("'", mark) for run in quoted]


# 3. A quotation over paragraphs, each with an opening mark, is one (CoreNLP #1139).


@pytest.mark.parametrize(("opening", "closing"), ["“”", '""'])
def test_a_quotation_continues_over_paragraphs(find, opening, closing):
    quoted = f"{opening}We are here.\n\n{opening}We stay here.\n\n{opening}We go.{closing}"
    left = f"{opening}We left,{closing}"
    assert find(f"She said this.\n\n{quoted}\n\nThen {left} he said.") == [quoted, left]


@pytest.mark.parametrize("opening", ["‘", "“‘"])
def test_a_letter_within_speech_is_part_of_it(find, opening):
    letter = f"“It says:\n\n{opening}Dear Ann,\n\n{opening}We are late.\n\n{opening}Yours, Bo.’\n\n“Is that all?”"
    assert find(f"“I have a letter,” said Ann. {letter}\n\nIt was.") == ["“I have a letter,”", letter]


# 4. Indirect speech (textacy #293, rsyntax #2).


def test_indirect_speech_is_found_with_a_parser(parsed):
    (quotation,) = parsed("The mayor said that the bridge would open in May.")._.quotations
    assert quotation.type == "INDIRECT"
    assert quotation.contents[0].text == "that the bridge would open in May"
    assert (quotation.cue.text, quotation.speaker.text) == ("said", "The mayor")
    (quotation,) = parsed("According to the mayor, the bridge is closed.")._.quotations
    assert (quotation.contents[0].text, quotation.speaker.text) == ("the bridge is closed", "the mayor")


@cases("""
text → contents
The union vowed to fight the plan. → to fight the plan
He told the council not to sell the park. → not to sell the park
She tweeted on Monday that the bridge is a risk. → that the bridge is a risk
The mayor tweeted in the early morning hours that it was closed. → that it was closed
Stone said that the port would close, but that no jobs would be lost.
→ that the port would close, but that no jobs would be lost
She said the bridge was old, adding that it must be rebuilt. → the bridge was old | that it must be rebuilt
# surveys find, but people do not
A survey found that half of the shops are empty. → that half of the shops are empty
Turnout was low, polls show. → Turnout was low
Ann found that the door was locked. →
The clerk, Ann Lee, 54, told the jury that she was late. → that she was late
“It is this long,” he says, and he has told the vicar. → “It is this long,”
“You know it,” he said again, as if I had said yes. → “You know it,”
# `according to` means the main clause
The boats, according to the coast guard, left at noon. → The boats | left at noon
Engineers, according to the report, had known it. → Engineers | had known it
It fell, according to the report, because of the wind. → It fell
Ann said the road was closed, according to the report. → Ann said the road was closed
# titles with verbs report nothing, nor do places of reports
Its first song, “Tell Me Later,” has been played twice. →
LONDON (AP) — The roof leaks, Ann Lee said. → The roof leaks
# when somebody speaks, and what they do meanwhile, is not reported
Officials said Monday the bridge is unsafe. → the bridge is unsafe
Officials said Monday is a holiday. → Monday is a holiday
“No,” he said when asked whether he would go. → “No,” | whether he would go
“It is too late for us,” the mayor said, drawing some laughter. → “It is too late for us,”
# only the outer of two attributions is reported
He said that she knew that the bridge was closed. → that she knew that the bridge was closed
# a title within a sentence has no verb
She had a copy of “Some lines on the river at night.” It rained. →
She had a copy of “We saw the river at night.” It rained. → “We saw the river at night.”
# a quotation may follow an abbreviation
It was 5 p.m. “Good Night!” cried Ann. → “Good Night!”
# narration between marks without stops parts quotations
“That is a good horse” he said to Ann “But it has its faults.” said Tom.
→ “That is a good horse” | “But it has its faults.”
""")
def test_what_is_reported_is_found(parsed, text, contents):
    assert texts(parsed(text)) == contents


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        *read_cases("""
The roof leaks, Ann Lee said. → The roof leaks
The roof leaks, Ann Lee told reporters. → The roof leaks
The bridge, Ann Lee said, is older than the town. → The bridge | is older than the town
In a storm, Ann Lee said, the road would flood. → In a storm | the road would flood
The roof, Ann Lee often says, leaks at both ends. → The roof | leaks at both ends
The road is closed, Ann Lee said Monday, and nobody knows why. → The road is closed | and nobody knows why
The road will be closed until May, the mayor, Ann Lee, said. → The road will be closed until May
It was cold, you know, and dark. →
The dog barked, Ann Lee ran, and the door closed. →
"""),
        ("The roof leaks, Ann Lee said.  ", ["The roof leaks"]),
    ],
)
def test_what_is_around_a_reporting_verb_between_commas_is_reported(parsed, text, contents):
    doc = parsed(text)
    assert texts(doc) == contents
    assert all(quotation.speaker.text == "Ann Lee" for quotation in doc._.quotations)


# 5. Layouts without a usual cue (textacy #383), rare cues, inverted subjects (CoreNLP #1090).


@pytest.mark.parametrize(
    ("signature", "speaker"),
    [
        (" –Kurt V.", "Kurt V."),
        ("\xa0―\xa0Kurt Vonn.", "Kurt Vonn"),
        (" — Ruth Adams, author of The Long Field and The Far Hill", "Ruth Adams"),
        ("\n    - Ruth Adams, author", "Ruth Adams"),
        (" — He left.", None),
        ("\n- Money\n- Time", None),
    ],
)
def test_a_signature_after_a_dash_is_the_speaker(parsed, signature, speaker):
    first, second = parsed(f"“We came, and we saw it all.”{signature}\n\n“They say so.” — Ann Lee\n")._.quotations
    assert (first.speaker and first.speaker.text) == speaker
    assert second.speaker.text == "Ann Lee"


@pytest.mark.parametrize("announcement", ["And from Anna Lee:", "From the desk of Anna Lee:", "Anna Lee:"])
def test_an_announcement_names_the_speaker_of_the_next_paragraph(unparsed, announcement):
    (quotation,) = unparsed(f"It rained.\n\n{announcement}\n\n“We are late, and we know it.”")._.quotations
    assert quotation.speaker.text == "Anna Lee"


@pytest.mark.parametrize(
    ("introduction", "speaker"),
    [("Dr. Ward stated:\n\n", "Dr. Ward"), ("Ann Lee smiled at him: ", "Ann Lee"), ("Ann Lee heard: ", None)],
)
def test_the_clause_before_a_colon_names_the_speaker(parsed, introduction, speaker):
    (quotation,) = parsed(f"It rained.\n\n{introduction}“We are late, and we know it.”")._.quotations
    assert (quotation.speaker and quotation.speaker.text) == speaker


@pytest.mark.parametrize(
    ("text", "parts", "cue", "speaker"),
    [
        ('"Do you--" began Alice.', ['"Do you--"'], "began", "Alice"),
        ("“Do you—” began Alice.", ["“Do you—”"], "began", "Alice"),
        ('"Yes," he continued, "we go."', ['"Yes,"', '"we go."'], "continued", "he"),
        ('"No room!" the Hatter interrupted.', ['"No room!"'], "interrupted", "the Hatter"),
        ('"We will," returned she.', ['"We will,"'], "returned", "she"),
        ("As Ann Lee put it, “We are late.”", ["“We are late.”"], "put", "Ann Lee"),
        ("And she was like, “Are we late?”", ["“Are we late?”"], "was", "she"),
        ("It is, she added, “in better shape than ours.”", ["“in better shape than ours.”"], "added", "she"),
        ("“We are late,” quipped the driver of the bus.", ["“We are late,”"], "quipped", "the driver of the bus"),
    ],
)
def test_rare_verbs_and_those_that_report_only_beside_marks_are_cues_there(parsed, text, parts, cue, speaker):
    (quotation,) = parsed(text)._.quotations
    assert [content.text for content in quotation.contents] == parts
    assert (quotation.cue.text, quotation.speaker.text) == (cue, speaker)


@pytest.mark.parametrize("text", ["She continued that the bridge was closed.", "It began, and she returned home."])
def test_verbs_that_report_only_beside_marks_are_no_cues_elsewhere(parsed, text):
    assert not parsed(text).spans["quotation_cues"]


def test_turns_joined_by_dashes_are_apart(parsed):
    assert describe(parsed('"Well," said Alice, "you should."--"Why?" asked the Hatter.')._.quotations) == [
        (['"Well,"', '"you should."'], "said", "Alice"),
        (['"Why?"'], "asked", "the Hatter"),
    ]


DASHES = """—Is he? Haines asked.\n
—Yes, Stephen said. He is here now. Come in.\n\nHe went out.\n
—What is it, he said, that you want?\n
—Nothing, the old doctor answered, and went home.
"""


def test_english_dialogue_by_dashes_is_detected_unless_a_setting_decides(parsed):
    assert describe(parsed(DASHES)._.quotations) == [
        (["Is he?"], "asked", "Haines"),
        (["Yes", "He is here now. Come in."], "said", "Stephen"),
        (["What is it", "that you want?"], "said", "he"),
        (["Nothing"], "answered", "the old doctor"),
    ]
    assert find_with(DASHES, dialogue_dashes=False) == find_with("—Come in now.") == []
    assert find_with("—Come in now.", dialogue_dashes=True) == ["Come in now."]


# 6. Quotations without cue or speaker are returned, too (sayswho #3).
# 7. The speaker is a span of the document, to be resolved by any coreference component; never an invented name.


def test_the_speaker_is_a_mention_in_the_document_or_none(parsed, unparsed):
    (quotation,) = unparsed("It was late. “We should go home now.” It rained.")._.quotations
    assert quotation.cue is None and quotation.speaker is None
    doc = parsed("Ann Lee arrived. “We are late,” she said.")
    (quotation,) = doc._.quotations
    assert isinstance(quotation.speaker, Span) and quotation.speaker.doc is doc
    assert quotation.speaker.text == "she"


# 8. Nicknames, titles and scare quotes are not quotations (CoreNLP #1251), but words within reports are part of them.


@cases("""
text → expected
The mayor said that the bridge was “a loss for all of us.” → that the bridge was “a loss for all of us.”
She said the city has become “more interested in cars than in people.” It rained.
→ the city has become “more interested in cars than in people.”
He says it shows that the mayor is “unfit to lead.” Nobody laughed. → it shows that the mayor is “unfit to lead.”
Ben added that the tests were “not serious” and that the report was late.
→ that the tests were “not serious” and that the report was late
Critics called the plan “a disaster for the town.” → the plan “a disaster for the town.”
""")
def test_quoted_words_within_a_sentence_are_part_of_what_is_reported(parsed, text, expected):
    (quotation,) = parsed(text)._.quotations
    assert ["MIXED", *expected] == [quotation.type, *(content.text for content in quotation.contents)]


@cases("""
tagged → reported
# a document may end with a day
Officials/NNS/1/nsubj said/VBD/1/ROOT Monday/NNP/1/ccomp →
# what parsers take for a relative clause is reported
He/PRP/1/nsubj said/VBD/1/ROOT in/IN/4/case a/DT/4/det letter/NN/1/obl that/WDT/7/obj she/PRP/7/nsubj
won/VBD/4/acl:relcl → that she won
# what somebody is asked ends at a comma
Asked/VBN/0/ROOT if/IN/3/mark she/PRP/3/nsubj won/VBD/0/ccomp ,/,/3/punct Ann/NNP/6/nsubj smiled/VBD/3/advcl
→ if she won
""")
def test_indirect_speech_is_found_in_trees_that_parsers_make(unparsed, tagged, reported):
    assert texts(unparsed(read_tree(unparsed.vocab, tagged))) == reported


def test_the_nearest_verb_above_a_quotation_is_its_cue(parsed):
    called = "Raj Patel called the plan “reckless” and “dead on arrival.” "
    doc = parsed(called + "Asked whether he would vote against it, he replied, “Absolutely.”\n\nA man left.\n")
    assert [quotation.cue.text for quotation in doc._.quotations] == ["called", "Asked", "replied"]


def test_a_quotation_with_a_final_comma_does_not_belong_to_the_sentence_before(parsed):
    doc = parsed("The memo says that the town has no plan. ‘We count on rain,’ an official wrote in March.")
    assert texts(doc) == ["that the town has no plan", "‘We count on rain,’"]
    assert len(doc._.quotations) == 2


# 9. A flag on each token, in linear time (spaCy #4885, #3196).


def test_tokens_know_whether_they_are_in_a_quotation(unparsed):
    doc = unparsed("He said: “We are here.” Then he left.")
    assert [token.text for token in doc if token._.in_quotation] == ["“", "We", "are", "here", ".", "”"]


def test_a_long_document_is_handled(unparsed):
    doc = unparsed.make_doc("“We are here now,” he said. It rained.\n\n" * 3000)
    start = time.process_time()
    doc = unparsed.get_pipe("quotation_spans")(doc)
    # Quadratic time would take minutes.
    assert time.process_time() - start < 30
    assert len(doc.spans["quotations"]) == 3000


# 10. spaCy's errors at quotation marks do no harm (spaCy #1285, #2619, #4047).


def test_a_boundary_inside_a_quotation_does_not_split_it(unparsed):
    doc = unparsed.make_doc("He said: “We are here. We stay.” Then he left.")
    for token in doc:
        token.is_sent_start = token.i in (0, 3, 7, 8)
    assert texts(unparsed.get_pipe("quotation_spans")(doc)) == ["“We are here. We stay.”"]


def test_a_mark_attached_to_a_word_does_not_affect_the_others(find):
    assert find('He said,"There it is." And "We are here now," she said.')[-1] == '"We are here now,"'


# 11. It installs with the package and needs nothing else: tests/test_package.py.


# 12. Scores, character offsets, tables and JSON, highlighting.
# 13. The runs, cue and speaker of a quotation stay together (Citron, PolNeAR).


def test_json_has_offsets_and_scores_and_spans_of_one_quotation_have_one_id(parsed):
    text = "“We are late,” said Ann Lee. “We know.”"
    doc = parsed(text)
    described = json.loads(json.dumps(describe_document("", doc, doc._.quotations)))
    (quotation,) = described["quotations"]
    for span in [*quotation["contents"], quotation["cue"], quotation["speaker"]]:
        assert text[span["start"] : span["end"]] == span["text"]
    assert [content["score"] for content in quotation["contents"]] == [1.0, 1.0]
    assert quotation["order"] == "QCSQ"
    first, second = doc.spans["quotations"]
    assert first.id_ == second.id_ != ""
    assert [span.text for span in doc.spans["quotation_cues"] if span.id_ == first.id_] == ["said"]
    assert [span.id_ for span in doc.spans["quotation_speakers"]] == [first.id_]


def test_a_quotation_does_not_belong_to_a_later_sentence_that_reports_something_else(parsed):
    doc = parsed("“We are late,” said Ann Lee. “We know.” The mayor added that the bridge was closed.")
    first, second = doc._.quotations
    assert [content.text for content in first.contents] == ["“We are late,”", "“We know.”"]
    assert (second.type, second.speaker.text) == ("INDIRECT", "The mayor")


def describe(quotations):
    return [
        ([span.text for span in quotation.contents], str(quotation.cue), str(quotation.speaker))
        for quotation in quotations
    ]


def test_joined_documents_keep_their_quotations(parsed):
    texts = ["“We are late,” said Ann Lee. “We know.”", "“Go home now.” It rained.", "Bo Lee said: “We left then.”"]
    docs = [parsed(text) for text in (*texts, *texts)]
    joined = Doc.from_docs(docs)
    assert describe(joined._.quotations) == [quotation for doc in docs for quotation in describe(doc._.quotations)]
    assert [token._.in_quotation for token in joined] == [token._.in_quotation for doc in docs for token in doc]


def test_joined_documents_keep_the_flag_with_other_keys():
    nlp = spacy.blank("en")
    nlp.add_pipe("quotation_spans", config={"spans_key": "marked"})
    docs = [nlp("He said: “We are here now.” Then he left."), nlp("It rained. “Go home now,” she said.")]
    for doc in docs:
        doc.spans["others"] = [Span(doc, 0, len(doc), label="TOPIC")]
    expected = [token._.in_quotation for doc in docs for token in doc]
    assert True in expected and False in expected
    assert [token._.in_quotation for token in Doc.from_docs(docs)] == expected


def test_the_input_of_combined_is_not_read(make_trained, read_quotes):
    nlp = make_trained(method="combined", epochs=1)
    doc = next(iter(read_quotes(nlp))).predicted.copy()
    doc.spans["chain_quotations"] = [Span(doc, 0, 2, label="INDIRECT")]
    assert doc[0]._.in_quotation
    assert nlp.get_pipe("quotation_spans")(doc).spans["chain_quotations"].attrs["in_quotation"] is False


def test_joined_documents_can_be_annotated_again(parsed):
    joined = Doc.from_docs([parsed("“We are late,” said Ann Lee. “We know.”") for _ in range(2)])
    joined.spans["quotation_cues"].append(Span(joined, 0, 1, label="CUE", span_id="Q@3"))
    expected = describe(joined._.quotations)
    again = parsed.get_pipe("quotation_spans")(joined)
    assert describe(again._.quotations) == expected
    assert {span.id_ for span in again.spans["quotation_cues"] if span.start == 0} == {""}


def test_merged_tokens_do_not_move_the_flag(unparsed):
    doc = unparsed("It rained again. He said: “We are here now.” Then he left.")
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:4])
    assert [token.text for token in doc if token._.in_quotation] == ["“", "We", "are", "here", "now", ".", "”"]
    doc = unparsed("It rained again. He said: “We are here now.”")
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:4])
    with pytest.raises(JointValueError, match=r"\[J340\].*quotations"):
        doc[0]._.in_quotation  # noqa: B018


@pytest.mark.parametrize("start", [0, 5, 22])
def test_cues_at_other_tokens_than_before_are_refused(unparsed, start):
    doc = unparsed("It rained again. He said: “We are here now.” Then he left. “It rained.” He nodded.")
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[start : start + 2])
    for read in (unparsed.get_pipe("quotation_spans"), get_quotations):
        with pytest.raises(JointValueError, match=r"\[J340\].*quotation"):
            read(doc)


def test_spans_added_by_users_are_quotations_like_others(unparsed):
    doc = unparsed("It rained again. He said: “We are here now.” Then he left.")
    doc.spans["quotations"].append(Span(doc, 0, 3, label="INDIRECT"))
    assert [quotation.scores for quotation in doc._.quotations] == [(1.0,), (1.0,)]
    assert doc[0]._.in_quotation and doc[8]._.in_quotation and not doc[4]._.in_quotation


def test_existing_cues_are_kept(unparsed):
    doc = unparsed.make_doc("He made it plain: “We are here now.” She nodded.")
    doc.spans["quotation_cues"] = [Span(doc, 1, 4, label="CUE", kb_id="plain"), Span(doc, 11, 12, label="NONE")]
    doc.spans["quotation_cues"].attrs["by"] = "hand"
    cues = unparsed.get_pipe("quotation_spans")(doc).spans["quotation_cues"]
    assert [(span.text, span.label_, span.kb_id_) for span in cues] == [
        ("made it plain", "CUE", "plain"),
        ("”", "NONE", ""),
    ]
    assert cues.attrs == {"by": "hand"}
    assert doc._.quotations[0].cue.text == "made it plain"


def test_the_flag_covers_the_quotations_of_all_components():
    nlp = spacy.blank("en")
    nlp.add_pipe("quotation_spans", config={"spans_key": "double", "speakers_key": "speakers"})
    nlp.add_pipe("quotation_spans", name="single", config={"spans_key": "single", "single_quotes": True})
    doc = nlp("He said: “We are here now.” She said: ‘We are there now.’")
    assert [token._.in_quotation for token in doc] == [token.i in range(3, 10) or token.i >= 13 for token in doc]
    for key in ("double", "single"):
        assert all(quotation.cue is not None for quotation in get_quotations(doc, key))


def test_a_pipeline_does_not_change_the_documents_of_another_one():
    def make(**config):
        nlp = spacy.blank("en")
        nlp.add_pipe("quotation_spans", config=config)
        return nlp

    doc = make(spans_key="double")("He said: “We are here now.”")
    before = [token._.in_quotation for token in doc]
    assert any(before)
    doc.spans["single"] = [doc[:2]]
    make(spans_key="single")
    make(method="combined", combined_key="double")
    assert [token._.in_quotation for token in doc] == before
    again = Doc(doc.vocab).from_bytes(doc.to_bytes())
    assert [token._.in_quotation for token in again] == before
