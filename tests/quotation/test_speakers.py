"""Speakers, the characters that they are, and turns of conversations."""

import pickle
import re

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from spacy_joint.quotation.conversation import load_model, make_model
from spacy_joint.quotation.names import MALE, Name, are_equivalent, find_names, read_names

from ..cases import cases, read_cases

CONVERSATION = """“Have you heard, Mr. Bennet, that the house is let at last?” said Mrs. Bennet.\n
Mr. Bennet replied that he had not.\n
“But it is,” returned she. “Mrs. Long told me about it.”\n
“What is his name?”\n\n“Bingley.”\n
“Is he married?” asked Mr. Bennet.\n
“Oh, no, he is single, my dear!”
"""
FAMILY = """Elizabeth Bennet walked home. She was tired. “Come in, Lizzy,” said Mr. Bennet.\n
“I am coming,” cried Elizabeth.\n
“Miss Bennet is here!” said Mr. Bennet to Charlotte Lucas. Charlotte laughed. Elizabeth smiled at her.
"""


@pytest.fixture(scope="module")
def conversation(parsed):
    return parsed(CONVERSATION)


def describe(doc):
    return [
        (quotation.character and quotation.character.id, quotation.is_inferred)
        for quotation in doc._.quotations
        if quotation.type == "DIRECT"
    ]


@cases("""
text → expected
“Quite so,” said Poirot mildly. → Poirot | *
“We shall see,” said Lady Bertram, the owner of the house. → Lady Bertram | Lady Bertram, the owner of the house
“We stop here,” quipped the driver of the bus. → the driver of the bus | the driver of the bus
“Come in,” laughed the old keeper. “It is warm.” → the old keeper | *
""")
def test_a_speaker_is_a_mention_without_modifiers(parsed, text, expected):
    quotation = parsed(text)._.quotations[0]
    assert [quotation.speaker.text, quotation.speaker_phrase.text] == expected


def test_names_of_one_person_are_joined(parsed):
    characters = {character.id: character for character in parsed(FAMILY)._.characters}
    elizabeth = characters["Elizabeth Bennet"]
    assert {"Elizabeth", "Lizzy", "Miss Bennet", "Elizabeth Bennet"} <= set(elizabeth.names)
    assert elizabeth.gender == "female" and elizabeth.n_quotations == 1
    assert characters["Mr. Bennet"].gender == "male"
    assert characters["Mr. Bennet"].n_quotations == 2
    assert characters["Charlotte Lucas"].names == {"Charlotte Lucas": 1, "Charlotte": 1}


def test_turns_alternate(conversation):
    found = describe(conversation)
    assert [who for who, _ in found][:2] == ["Mrs. Bennet", "Mrs. Bennet"]
    by_text = {q.contents[0].text: q for q in conversation._.quotations}
    assert by_text["“Is he married?”"].character.id == "Mr. Bennet"
    assert by_text["“Bingley.”"].character.id == "Mrs. Bennet"
    assert by_text["“Bingley.”"].is_inferred and 0 < by_text["“Bingley.”"].confidence < 1
    assert not by_text["“Is he married?”"].is_inferred and by_text["“Is he married?”"].confidence == 1


def test_a_pronoun_means_the_last_subject_with_its_full_name(parsed):
    doc = parsed("Ann Lee met Clara Hill. She smiled. “I am late,” said Clara Hill.")
    assert {character.id: character.n_mentions for character in doc._.characters} == {"Ann Lee": 2, "Clara Hill": 2}


def test_a_model_of_speakers_is_saved_with_its_component(parsed):
    finder = parsed.create_pipe("quotation_spans")
    assert "speakers" not in finder.list_savers(())
    finder.speaker_model = make_model()
    loaded = parsed.create_pipe("quotation_spans").from_bytes(finder.to_bytes())
    assert loaded.speaker_model.to_bytes() == make_model().to_bytes() != load_model().to_bytes()
    # It has learnt nothing, so that all candidates are as probable as none.
    doc = loaded(parsed(CONVERSATION))
    inferred = [quotation for quotation in doc._.quotations if quotation.is_inferred]
    assert inferred and all(quotation.confidence <= 0.5 for quotation in inferred)


def test_a_damaged_model_of_speakers_is_refused(parsed, tmp_path):
    finder = parsed.create_pipe("quotation_spans")
    finder.speaker_model = make_model()
    finder.to_disk(tmp_path)
    (tmp_path / "speakers").write_bytes(b"no model")
    with pytest.raises(ValueError, match=r"\[J05\d\].*speakers"):
        parsed.create_pipe("quotation_spans").from_disk(tmp_path)


def test_characters_are_listed_by_the_number_of_their_quotations(conversation):
    counts = [character.n_quotations for character in conversation._.characters]
    assert counts == sorted(counts, reverse=True)
    assert sum(counts) == sum(quotation.character is not None for quotation in conversation._.quotations)


def test_characters_survive_serialisation(parsed, conversation):
    def read(doc):
        return [(q.character, q.confidence, q.is_inferred) for q in doc._.quotations], doc._.characters

    expected = read(conversation)
    assert expected[1]
    assert read(Doc(parsed.vocab).from_bytes(conversation.to_bytes())) == expected
    assert read(next(iter(DocBin(docs=[conversation]).get_docs(parsed.vocab)))) == expected
    assert read(pickle.loads(pickle.dumps(conversation))) == expected


def test_joined_documents_keep_their_characters(parsed, conversation):
    joined = Doc.from_docs([conversation, parsed(FAMILY)])
    assert describe(joined) == describe(conversation) + describe(parsed(FAMILY))
    # spaCy leaves the attributes of groups out.
    assert all(quotation.confidence is None for quotation in joined._.quotations)


def test_annotating_again_changes_nothing(parsed, conversation):
    expected = describe(conversation), conversation._.characters
    doc = parsed.get_pipe("quotation_spans")(conversation.copy())
    assert (describe(doc), doc._.characters) == expected


def test_wrapped_text_has_the_same_characters(parsed):
    plain = parsed(" ".join([CONVERSATION.split("\n\n")[0]] * 9) + "\n\n" + CONVERSATION.replace("\n\n", "\n\n\n"))
    assert {who for who, _ in describe(plain)} <= {"Mrs. Bennet", "Mr. Bennet", "Mrs. Long", None}


def test_other_languages_have_no_characters():
    nlp = spacy.blank("de")
    nlp.add_pipe("quotation_spans")
    doc = nlp("„Wir gehen“, sagte Anna.")
    assert doc._.characters == [] and doc._.quotations[0].character is None and doc._.quotations[0].confidence is None


def test_names_are_found_with_their_titles(parsed):
    doc = parsed("Yesterday Mr. John Knightley met the Duke of Omnium and Lady Catherine de Bourgh.")
    names = [mention.name for mention in find_names(doc)]
    assert names[0] == Name(("mr",), ("john", "knightley"))
    assert names[-1] == Name(("lady",), ("catherine", "bourgh")) and names[-1].text == "Lady Catherine de Bourgh"


WRITTEN = ["Jean-Paul Dupont", "Mr. Day-Lewis", "Ann McGregor", "Tom O'Brien", "Queen Anna II", "Mr. van der Berg"]


@pytest.mark.parametrize("name", [*WRITTEN, "Mrs. Henry Grey", "General Brand"])
def test_characters_are_called_as_they_are_written(parsed, name):
    (quotation,) = parsed(f"“We are late,” said {name}.")._.quotations
    assert quotation.character.id == name


def test_short_forms_are_equivalent_to_given_names_which_have_one_gender_or_none():
    assert are_equivalent("lizzy", "elizabeth") and are_equivalent("lizzy", "eliza") and are_equivalent("j", "john")
    assert not are_equivalent("jane", "elizabeth")
    assert read_names().given_genders["tommy"] == MALE
    for given, gender in read_names().given_genders.items():
        assert re.fullmatch(r"[\w'-]+", given) and gender in ("male", "female", None)


@cases("""
text → speakers
# what a name does after an exclamation is no cue
“Wait—” Ann Lee held up her hand. “Who is it?” → - | -
# a separate sentence after a quotation describes the next action, not the speaker
“I read.” ¶ “Show me the book.” I returned to the window. ¶ “Good,” said Ann. → - | - | Ann
“Where is he?” The girl smiled at Tom. → -
Mr. Hill replied that he had not. “But it is,” returned she. → Mr. Hill | she
“It is ours,” Big Ben bellowed. → Big Ben
“I can wait,” Irish remarked lazily. → Irish
# a reporting verb outranks a colon
Rising to her feet, Miss Reed exclaimed with some heat: “Never!” → Miss Reed
# speech itself is not a speaker
“Come in,” called his mother's voice. → his mother
“Not yet,” was Tom's reply. → Tom
“Not yet,” was the answer. → -
# the speaker is not somebody else in the sentence
Lee argued that a roof would cost too much, saying the old one was “good enough.” → Lee | Lee
# marks of a nested quotation stand between the comma and the speaker
“He told me, ‘The roof leaks,’” Lee told reporters in Denton. → Lee
“The roof leaks,” Lee said, adding that it rains on the desks. → Lee | Lee
Having said that the roof leaks, Lee decided to go home. → Lee
That was no surprise for the engineer Tom Burke: “The roof is old.” → Tom Burke
Burke wrote to Ann Lee, who said that the roof leaks. → Ann Lee
# nor the place of a report
PARIS (Reuters) - President Ann Lee said on Monday that the roof leaks. → President Ann Lee
NEW YORK - The mayor told reporters that schools would close. → The mayor
# one person, several, or nobody
He looked at Mary, who said, “No, I will not.” → Mary
“I shall not go,” was Mary's reflection. → Mary
“I shall not go,” was the only conclusion. → -
The result was clear: “The roof is old.” → -
Some 40% of voters said that they liked the plan. → Some 40% of voters
“Go,” laughed the men. → the men
“Go,” the men laughed. → the men
“Go!” The men laughed. → -
“Go,” agreed the other. → the other
Ann met Tom. “Yes,” replied the other in a low voice. → the other
“It is down again!” shouted one of the twins. → one of the twins
“How much,” asked the youngest of the three sisters, after a whispered consultation with the others, “would you want for
the lamp?” → the youngest of the three sisters
# a clause beside a quotation
Ann looked up. Tom Hall presently added, with a smile, ¶ “I shall go alone.” → Tom Hall
After he had leaned out, he heard her say: “Shut the window.” → her
“Here they come,” sobbed out Ann Lee. → Ann Lee
“Shall I come?” Ann Lee suddenly hazarded. → Ann Lee
“Look!” Ann Lee was running along the wall. → -
Ann met Tom. “You did it?” Ann said nothing. Tom left. → -
“Patience,” my father used to say, “is slow.” → my father | my father
""")
def test_a_speaker_is_who_says_it(parsed, text, speakers):
    assert [quotation.speaker and quotation.speaker.text for quotation in parsed(text)._.quotations] == speakers


@cases("""
text → expected
"We will not sign," Smith told reporters on Tuesday. "It is a bad deal." → Smith
“We grow,” said Jane Doe, chief executive of Acme, who joined in 2019. “Next year will be better.” → Jane Doe
""")
def test_a_quotation_goes_on_after_its_speaker(parsed, text, expected):
    quotation = parsed(text)._.quotations[0]
    assert len(quotation.contents) == 2 and [quotation.speaker.text] == [quotation.character.id] == expected


@cases("""
text → speakers
# a mention is the character of its head or apposition
It rained. ¶ “We are late now,” said a spokesman for the bank, Ann Lee. → Ann Lee
It rained. ¶ “We are late now,” said Ann Lee of the Paul Institute. → Ann Lee
It rained. ¶ “We are late now,” said the wife of Tom Lee. → the wife
It rained. ¶ “We are late now,” said the clerk, who saw it. → the clerk
# a name after a pronoun is another speaker
Ann Lee met Mr. Cotter. “What do you mean?” she asked. “It is bad,” said old Cotter. → Ann Lee | Mr. Cotter
# a character who comes later did not speak before
Mayor Linda Roth said that taxes would fall. “We have cut enough,” she told us. ¶ “That is a dream,” Raj Patel said. ¶
“It hurts,” said Maria Lopez, who has a shop. → Mayor Linda Roth | Raj Patel | Maria Lopez
# one resident is not a known character
“It hurts,” said Maria Lopez. ¶ “I will leave,” one resident wrote. ¶ “No,” said a voice.
→ Maria Lopez | one resident | -
# an office is a title
Chief Dan Ortiz said that it was over. “It was bad,” he said. ¶ “Yes,” said Mike. → Chief Dan Ortiz | Mike
# a text is no character
Tom came. The sign on the door read "Closed." Anna laughed. "It is late!" she said. → - | Anna
# a noun with an adjective is who speaks by that name
The old man looked up. “Sit,” he said. ¶ “Why?” asked Ann. ¶ “Sit,” said the old man. → the old man | Ann | the old man
# a voice is not a known character
“We are here!” Ann shouted. ¶ “Stay calm,” the voice said. ¶ “How long?” asked Tom Hall. → Ann | - | Tom Hall
# a narrator is not he
I met a stranger. I was late, and I ran. “I am lost,” I said. ¶ “It rains,” he said. → Narrator | -
# those who are only spoken about do not speak
Ann sat down. “Henry Bell wrote this letter,” she said. ¶ “A good letter,” he answered. → Ann | -
# a noun that speaks twice is a character
“We go,” said the warden. ¶ “When?” asked Ann. ¶ “Soon,” said the warden. → the warden | Ann | the warden
# a rank alone is that of the character who has it
“Who goes?” said General Brand. ¶ “I,” said Tom. ¶ “Then go,” said the general. → General Brand | Tom | General Brand
# the clerk is the one who has just come
“We lost,” said Tom Briggs. ¶ A clerk said in an email that the town will pay the bills. ¶ “It is late,” the clerk
wrote. → Tom Briggs | A clerk
# speech without a cue continues a report
“The roof leaks,” said Ann Lee, the mayor. She said that the school needs a new one. ¶ “It rains on the desks.” ¶
Tom Burke added that his son had a cold. ¶ “He is at home.” ¶ “I am cold, too.”
→ Ann Lee | Ann Lee | Tom Burke | Tom Burke
# a report says she of whom it has just named
Lisa Marquez said that she owned a bakery. ¶ “I cried,” Marquez said. “Then I called my lawyer.” ¶
“It was a gift to the mall,” said Raymond Ott. ¶ Asked about the money, Mayor Carla Dietz laughed. “I would like to see
it,” she said. She added that the bridge was closed. ¶ “Any time,” Dietz said. → * | * | Mayor Carla Dietz | *
# who acts before a quotation says it in a report
Moss said that it was late. ¶ “Let them sue,” Moss said. ¶ Anne Whitfield said that she would stay. ¶ “I came for my
father,” Anne Whitfield said. ¶ Asked about it, Anne Whitfield shrugged. “They know where I live.” ¶ “What merits?”
asked Tom Haskell. ¶ “We will go on,” Moss said. → * | * | Anne Whitfield | * | *
# no other speaker is given what an organisation says
“We strike,” said Ann Lee. ¶ “We sail,” the airline said. ¶ “We strike now,” Lee said. → Ann Lee | - | Ann Lee
# who acts after an exclamation said it
“I stay,” said Tom. ¶ “Look!” Ann was at the wall. → * | Ann
# the narrator has the name by which others call him
“You see, Watson,” said Holmes. “Nothing is easier.” ¶ “I see nothing,” said I. ¶ “No, Watson.” → * | Watson | *
# speakers without a name are called by the whole noun phrase
“Sit down,” said a sleepy-eyed carpenter. ¶ “Why?” asked Ann. → a sleepy-eyed carpenter | Ann
“Sit down,” said the mariner. ¶ “Why?” asked Ann. → the mariner | Ann
# companies are no characters
Ann Lee met Tom Hall. “Sales have fallen,” said Tom Hall. ¶ “It was a bad year,” said the company. → Tom Hall | -
# letters are no characters
Ann Lee met Tom Hall. “Sales have fallen,” said Tom Hall. ¶ “It was a bad year,” said the letter. → Tom Hall | -
# a name in a participle phrase is no apposition
Tom Hall bowed. “Ask him,” said the girl, indicating Tom Hall. → the girl
# Miss Campbell is not the colonel
“Come,” said Colonel Campbell. “Stay,” said Miss Campbell. Colonel Campbell left, and Colonel Wu sat.
→ Colonel Campbell | Miss Campbell
# his wife is that of the man in narration
Mrs. Lee sat down. Mrs. Hall sang. “Go home,” said Mr. Lee. “I met Mr. Hall.” ¶ “So did I,” added his wife.
→ * | Mrs. Lee
# several people and somebody are nobody who is known
“Come in,” said Ann. ¶ “Why?” asked Bo. ¶ “Hurrah!” they both shouted. → Ann | Bo | -
“Come in,” said Ann. ¶ “Why?” asked Bo. ¶ “Hurrah!” said Ann and Bo. → Ann | Bo | -
“Come in,” said Ann. ¶ “Why?” asked Bo. ¶ “Hurrah!” called somebody at the back. → Ann | Bo | -
# she who answers in the same paragraph is not the narrator
Ann came to tea. I asked her, “Can he ride?” and she said, “He must!” ¶ “Yes,” said Bo. → Narrator | Ann | Bo
# a note that speaks as it is nobody
“Look,” said Bo. ¶ Ann opened the note. It said: “Too late.” ¶ “Oh!” cried Ann. → Bo | - | Ann
# pronouns mean people with given names and nouns of their gender
The Captain's daughter, Isobel, came in. “Is this the new one?” she said. ¶ “Sit,” said the dean. → Isobel | the dean
""")
def test_each_quotation_has_its_character(parsed, text, speakers):
    assert [who for who, _ in describe(parsed(text))] == speakers


def test_his_lady_has_no_title(parsed):
    doc = parsed("Sir William and Lady Lucas came. “My dear,” said his lady.\n\n“Yes,” said Lady Lucas.")
    assert doc._.quotations[0].speaker.text == "his lady"
    assert all("his lady" not in character.names for character in doc._.characters if character.id == "Lady Lucas")


@pytest.mark.parametrize(
    ("text", "speaker", "character"),
    [
        ("The firm's chief aide, Tim Wood, said that it would close.", "The firm's chief aide", "Tim Wood"),
        ("“We close,” said his wife, the painter Ann Lee.", "his wife", "Ann Lee"),
        ("“We are alive,” said Lee's husband, Greg.", "Lee's husband", "Greg"),
        ("“We close,” said the mayor, Tom and Ann beside her.", "the mayor", "the mayor"),
        ("Ann Lee's teacher said that it would close.", "Ann Lee's teacher", "Ann Lee's teacher"),
    ],
)
def test_a_name_in_apposition_is_that_of_the_speaker(parsed, text, speaker, character):
    (quotation,) = parsed(text)._.quotations
    assert (quotation.speaker.text, quotation.character and quotation.character.id) == (speaker, character)


CHARACTERS = """
# a headline is no character
Minister Defends New Roof ¶ Minister Ann Lee's office is wet. “I like it,” the minister said. → Minister Ann Lee
# a month is no character
The mayor leaves in May. “She was good,” said Ann Lee. → Ann Lee
# a father who is only addressed is no character
“We go, Father,” said Tom. ¶ “Soon, Father?” said Ann. → Tom | Ann
# a place is not a character
Ann lived in New York. She sang in New York. Tom met her near New York. New York said that it rained. → Ann | Tom
# a role is no part of a name
Striker Danny Cole won. ¶ Cole, 24, is from Barnby. “It was mad,” he said. → Danny Cole
Republican Danny Cole won. ¶ Cole, 24, is from Barnby. “It was mad,” he said. → Danny Cole
# names may have initials and end in a title
“It is late,” said Rep. G.K. Butterfield. “We go,” Butterfield said. → Rep. G.K. Butterfield
“It is late,” said Charlie King. “We go,” King said. → Charlie King
"""
DIALOGUE = "“Sit down, Noah,” said Ann.\n\n“I will,” said Noah.\n\n“Noah is tired,” said the painter.\n\n"


@pytest.mark.parametrize(
    ("text", "characters"), [*read_cases(CHARACTERS), (DIALOGUE * 4, ["Ann", "Noah", "the painter"])]
)
def test_people_and_nobody_else_are_characters(parsed, text, characters):
    assert [character.id for character in parsed(text)._.characters] == characters


def test_who_is_asked_does_not_ask(parsed):
    asked, answered = parsed("Asked whether she would resign, Ann Lee laughed. “Why should I?”")._.quotations
    assert (asked.type, asked.speaker, answered.type) == ("INDIRECT", None, "DIRECT")


def test_an_author_who_says_i_once_takes_no_turn(parsed):
    talk = "“Come in,” said Ann.\n\n“Thank you. What a fire!”\n\n“Sit down.”\n\n"
    doc = parsed(f"I believe that Ann was kind. She lived by the river.\n\n{talk}{'She made tea. ' * 40}")
    assert "Narrator" not in [quotation.character.id for quotation in doc._.quotations[1:]]


@pytest.mark.parametrize(
    ("n", "elder", "son", "are_two"),
    [
        (30, "Mr. Brand", "Tom", True),
        (5, "Mr. Brand", "Tom", False),
        (12, "Captain Brand", "Tom", True),
        (30, "Miss Brand", "Mary", False),
    ],
)
def test_narration_calls_one_man_by_one_name(parsed, n, elder, son, are_two):
    texts = [f"{elder} came home. He ate. {son} stayed with them.\n\n" for _ in range(n)]
    doc = parsed("".join(texts) + f"“I am tired,” said {son} Brand.\n\n“We go,” said {elder}.\n\n“No,” said {son}.\n")
    first, second, third = (quotation.character for quotation in doc._.quotations)
    assert first == third and (first != second) == are_two


def test_a_name_decides_the_turns_before_it(parsed):
    turns = "“Is it late?”\n\n“It is.”\n\n“No.”\n\n“Yes.”\n\n“We go home,” said {}.\n"
    for last, first in (("Bob", "Bob"), ("Tom", "Tom")):
        doc = parsed("Bob and Tom waited. Bob laughed.\n\n" + turns.format(last))
        speakers = [who for who, _ in describe(doc)]
        assert speakers[::2] == [first] * 3 and first not in speakers[1::2]


def test_a_rare_full_name_does_not_name_a_character(parsed):
    doc = parsed(
        "Louisa sat down. She sang. " * 20 + "“I am tired,” said Louisa.\n\n" + "“You, Lou Brand?” said Tom.\n\n" * 3
    )
    assert next(character.id for character in doc._.characters if "Louisa" in character.names) == "Louisa"


def test_a_pronoun_is_the_subject_of_the_main_clause(parsed):
    doc = parsed(
        "Jane Hall came to the door. She thought that Ann Lee was late, because she saw the clock. She sat down."
    )
    assert [span.kb_id_ for span in doc.spans["characters"] if span.text == "She"] == ["Jane Hall", "Jane Hall"]


@pytest.mark.parametrize("speaker", ["the painter", "the Fox"])
def test_a_speaker_is_who_is_called_beside_his_turns(parsed, speaker):
    doc = parsed(f"“Sit down, Noah,” said Ann.\n\n“I will,” said {speaker}.\n\n" * 3)
    assert {quotation.character.id for quotation in doc._.quotations} == {"Ann", "Noah"}


def test_he_who_has_a_valet_is_not_the_valet(parsed):
    doc = parsed("Dorian came in. He sat down. “Is it cold?” asked his valet.\n\n“No,” said Dorian.\n")
    assert [quotation.confidence == 1 for quotation in doc._.quotations] == [False, True]


def test_my_companion_is_not_the_narrator(parsed):
    doc = parsed("I met Holmes, and I sat down. “I am lost,” I said.\n\n“It rains,” said my companion.\n")
    assert [who for who, _ in describe(doc)][1] not in ("Narrator", None)


def test_who_hears_a_quotation_does_not_speak(parsed):
    doc = parsed("Tom sat down. “After all,” he heard one of the men begin. “After all, who knows?”")
    assert doc._.quotations[0].speaker is None or doc._.quotations[0].speaker.text != "he"
