"""Turns in plain text: names are found for a file as a whole, and ordinary text stays as it is."""

import re

import pytest

from spacy_joint.errors import JointValueError
from spacy_joint.transcripts import read_string
from spacy_joint.transcripts.reading import guess_format

from ..cases import cases
from .turns import describe, describe_words, list_sentence_beginnings, list_turns


def read_turns(text):
    return read_string(text, "turns", "file.txt")


@pytest.mark.parametrize(
    "text",
    [
        *("ANNA: hi ben\nBEN: hi\nANNA: bye\n", "Anna Smith: hi ben\n\nBen: hi\n\nAnna Smith: bye\n"),
        *(">> ANNA: hi ben\n>> BEN: hi\n", "SPEAKER_00: hi\nSPEAKER_01: hi\n"),
        *("<speaker_0> hi\n<speaker_1> hi\n", "Speaker 1: hi\n\nSpeaker 2: hi\n"),
        *("[00:01] [Speaker 1] hi\n[00:02] [Speaker 2] hi\n", "[Speaker 1] [00:01] hi\n[Speaker 2] [00:02] hi\n"),
        *("ANNA: hi ben\nBEN: hi\n", "anna: hi ben\nben: hi\nanna: bye\n"),
        "Q: where were you\nA: at home\nQ: and then\n",
        "[00:01] Anna: hi ben\n[00:02] Ben: hi\n[00:04] Anna: bye\n",
        *("Dr. O'Neil (on phone): hi\nBen [00:02]: hi\nDr. O'Neil: bye\n", "ANNA:\nhi ben\nBEN:\nhi\nANNA:\nbye\n"),
        "24-12-2025 18:02 - Anna: hi\n24-12-2025 18:03 - Ben: hi\n",
        "24/12/2025 à 18:02 - Anna: hi\n24/12/2025 à 18:03 - Ben: hi\n",
        "24.12.2025 klo 18.02 - Anna: hi\n24.12.2025 klo 18.03 - Ben: hi\n",
        "00:02:11\t From  Anna Berg : hi all\n00:02:40\t From  Ben  to  Everyone : hi\n",
        "18:02:11 From Anna Berg to Ben(Direct Message):\n\thi: it's me\n",
        "[18:02] <anna> hi all\n[18:03] <@ben> hi\n",
        "2026-12-24 18:02:11 <anna> hi all\n2026-12-24 18:03:02 <ben> hi\n",
        "[00:00.000 --> 00:03.800]  (speaker 0) Hi.\n[00:03.800 --> 00:05.000]  (speaker 1) Hi.\n",
        "[24.12.25, 18:02:11] Anna 🎄: hi ben\n\u200e[24.12.25, 18:02:40] +44 20 7946 0000: hi: who is it?\n",
        "[24.12.25 18:02:11] Anna: hi ben\n[24.12.25 18:02:40] Ben: hi\n",
        "[12/24/2025 6:02:11 PM] Anna: hi ben\n[12/24/2025 6:02:40 PM] Ben: hi\n",
        "[6:02 pm, 24/12/2025] Anna: hi ben\n[18:03, 24/12/2025] +44 20 7946 0000: hi\n",
        "\n\nANNA: hi\r\nBEN: this is a hard-\r\nwrapped line\r\nANNA: bye",
        "**Anna:** hi ben\n\n**Ben:** yes\n\n**Anna:** bye",
        "[0:02] **Anna:** hi ben\n\n[0:04] **Ben:** yes\n\n[0:05] **Anna:** bye",
        "**Anna**: hi ben\n\n**Ben**: yes\n\n**Anna**: bye",
        "**Anna** [0:02] hi ben\n\n**Ben** [0:04]\nyes\n\n**Anna** [0:05]: bye",
        *("[Anna]: hi ben\n\n[Ben]: yes\n\n[Anna]: bye", "\ufeffAnna: hi ben\nBen: hi\nAnna: bye\n"),
        "Q Where were you?\nA In my house.\nQ Alone?\n",
        "Q    Where were you?\nMS. LOW: At home.\nQ    Alone?\n",
        "The Speaker: Order.\nSome hon. members: Oh!\nThe Speaker: Order.\nAn hon. member: No.\n",
        "[6:02 PM] Anna: hi ben\n[6:03 PM] Ben: hi\n[6:03 PM] Anna: bye\n",
        "[0:02]\nAnna: hi ben\n[0:04]\nBen: hi\nAnna: bye\n[0:09]\nBen: bye\n",
        "0:02\nAnna: hi ben\n0:04\nBen: hi\nAnna: bye\n0:09\nBen: bye\n",
        "I: hi #00:00:02-4#\nB: hi #00:00:04-1#\nI: bye #00:00:09-0#\n",
        "  The SPEAKER pro tempore. Yes?\n  Mr. LOW (Ohio). No.\n  The SPEAKER pro tempore. So ordered.\n",
        "    The CHAIRMAN. Order.\n    Ms. DE WU of Ohio. Thank you, Mr. Chair-\nman.\n    The CHAIRMAN. Mr. Low?\n",
        "    Senator Low. Who is it?\n    Mr. J. Wu [presiding]. It is me.\n    Senator Low. Thank you, Mr. Wu.\n",
        "Mr Low (Ely) (Ind): Who?\nThe Under-Secretary of State for Owls and Dogs (Ann Wu): I.\nMr Low: Oh.\n",
        "Ann Low, Jr.: hi ben\nBen: hi\nAnn Low, Jr.: bye\n",
        *(
            "Zoe\u0308\xa0Low\xa0: hi ben\nBen\xa0: hi\nZoe\u0308\xa0Low\xa0: bye\n",
            "小明：你好\n小红： 你好\n小明：再见\n",
        ),
        "अनीता: नमस्ते\nरवि: नमस्ते\nअनीता: फिर मिलेंगे\n",
    ],
)
def test_turns_are_recognised(text):
    assert guess_format(text) == "turns"
    turns = list_turns(read_turns(text))
    assert all(speaker and speaker not in words for speaker, words in turns)
    assert not any(sign in speaker for speaker, _ in turns for sign in "*[]\ufeff")
    assert not any(re.search(r"\b\d+:\d\d", words) for _, words in turns)


@pytest.mark.parametrize(
    "text",
    [
        *("", "hi nora it's me\n"),
        "Note: we open at 9.\nThere are two rules: be kind, be early.\n",
        "Serves: 4\nTime: 30 minutes\nFirst, boil the water.\n",
        "From: Anna\nTo: Ben\nSubject: lunch\n\nHi Ben,\n\nFrom: Ben\nTo: Anna\nSubject: Re: lunch\n\nok\n",
        "INFO: started\nINFO: loaded\nERROR: failed\nINFO: stopped\n",
        "I asked Anna: why?\nShe said: because.\nI asked Anna: really?\n",
        "Dear Anna:\n\nthe plan: we meet at 10:30.\n\nYours,\nBen\n",
        "The plan\n\nAnna: cook\nBen: shop\nAnna: clean\n",
        *("http://example.com: a page\nhttp://example.com: again\n", "Remember: a\nRemember: b\n"),
        "[2025-06-24 18:02:11] app.ERROR: no reply\n[2025-06-24 18:02:12] app.INFO: stopped\n",
        "[24/12/2025 18:02:11] ERROR: no reply\n[24/12/2025 18:02:12] INFO: stopped\n",
        "Fixed: a crash\nAdded: colours\nFixed: the manual\nRemoved: old files\n",
        "Name: Anna\nPhone: 123\nName: Ben\nPhone: 456\n",
        "Files: a\nCopyright: Anna\nLicense: free\n\nFiles: b\nLicense: free\n\nLicense: free\n Anybody may read it.\n",
        "Classifier: A :: B\nClassifier: C\nRequires-Dist: a\nProvides-Extra: b\nRequires-Dist: c\nProvides-Extra: d\n",
        "Owner: Anna\nColour: grey\nDogs: 2\nOwner: Ben\nColour: red\nDogs: 1\n",
        "Settings\n\nSIZE: 1\nMODE: read\nKIND: 2\nSIZE: 2\nMODE: write\nKIND: 4\nSIZE: 3\nMODE: read\nKIND: 3\n",
        "Settings\n\nFile: a.txt\nMode: read\nFile: b.txt\nMode: write\nFile: c.txt\nMode: read\n",
        *("**Note:** this\n\n**Note:** that\n", "HOST: a.example.com\nPORT: 80\nHOST: b.example.com\nPORT: 81\n"),
        "[1]: https://a.org\n[2]: https://b.org\n[1]: https://a.org\n",
        "    Mr. Low. A farmer.\n    Mrs. Low. His wife.\n    The Owl. A bird.\n",
        "    New York. It rained.\n    San Juan. It was warm.\n    New York. It snowed.\n",
        *("A. First\nB. Second\nA. Third\n", "Anna: 41:20\nBen: 42:03\nAnna: 40:55\nBen: 43:12\n"),
        *("注意：下雨。\n时间：十点。\n\n注意：下雪。\n", "小明说：“你好。”\n小红说：“你好。”\n小明说：“再见。”\n"),
        *("SIZE: 1\nMODE: read\nSIZE: 2\nMODE: write\n", ">> hi\n>> who are you\n> me\n"),
        ">>> run()\n>>> go()\n",
    ],
)
def test_ordinary_text_with_colons_is_text(text):
    assert guess_format(text) == "text"


@cases("""
text → turns
# lines without a name continue the turn
ANNA: at the⏎garage and⏎the reason: brakes⏎BEN: ok⏎ANNA: no⏎BEN: yes
→ ANNA: at the garage and the reason: brakes | BEN: ok | ANNA: no | BEN: yes
# names that occur once need capitals
ANNA: hi⏎BEN: hi⏎ANNA: and⏎the reason: late⏎Waiter: please⏎
→ ANNA: hi | BEN: hi | ANNA: and the reason: late | Waiter: please
# names without words are words of nobody
ANNA:⏎BEN: hi ¶ BY MS. LOW: ¶ WHO: me⏎ANNA: ⏎ → -: ANNA: | BEN: hi | -: BY MS. LOW: | WHO: me | -: ANNA:
# names may begin like answers
Q. Who?⏎A. Me.⏎A VOICE: No. → Q: Who? | A: Me. | A VOICE: No.
# chevrons alone begin a turn
>> HI.⏎I AM ANNA.⏎>> AND BEN.⏎>>> IT RAINS.⏎ → -: HI. I AM ANNA. | -: AND BEN. | -: IT RAINS.
# roles and pronouns are no part of names
ANNA LOW, CNN ANCHOR (voice-over): Hi. ¶ LOW: Hm. ¶ MAN #1 (he/him): I see. ¶ LOW: Yes. ¶ WU: No.⏎
→ ANNA LOW: (voice-over) Hi. | LOW: Hm. | MAN #1: I see. | LOW: Yes. | WU: No.
# notices in a chat have no speaker
[18:02] <anna> hi⏎[18:02] * anna waves⏎18:03 -!- ben has left⏎[18:04] <anna> bye⏎
→ anna: hi | -: * anna waves | -: -!- ben has left | anna: bye
# notices with dates have no speaker
6/24/25, 6:02 PM - Anna added Ben⏎6/24/25, 6:03 PM - Anna: hi⏎ben⏎6/24/25, 6:04 PM - Ben left⏎
→ -: Anna added Ben | Anna: hi ben | -: Ben left
# questions and answers of court records are turns
THE COURT: Proceed.⏎Q.  Where were you?⏎A.  At home.⏎I was ill.⏎Q.  Alone?⏎A.  Yes.⏎
→ THE COURT: Proceed. | Q: Where were you? | A: At home. I was ill. | Q: Alone? | A: Yes.
# times behind names are no results of a race
Anna: 0:02⏎hi ben⏎Ben: 0:05⏎hi⏎Anna: 0:09⏎bye⏎ → Anna: 0:02 hi ben | Ben: 0:05 hi | Anna: 0:09 bye
# each name begins a turn
ANNA: one⏎ANNA: two⏎BEN: three → ANNA: one | ANNA: two | BEN: three
# times next to names are times of turns, by a rate of speech that leaves silence before the next turn
[00:10] ANNA: abcd⏎BEN (0:01:00): no⏎ANNA 1:00:00: bye → ANNA 10-10.4: abcd | BEN 60-60.2: no | ANNA 3600-3600.2: bye
# a turn that begins after the next one has no time
[00:10] ANNA: abcd⏎[00:05] BEN: no⏎[00:20] ANNA: bye → ANNA: abcd | BEN 5-5.2: no | ANNA 20-20.2: bye
# times may have an end
[00:12 - 00:15] Anna: hi ben⏎[00:15 – 00:18] Ben: hi⏎(00:18 --> 00:20) Anna: bye⏎
→ Anna 12-12.6: hi ben | Ben 15-15.2: hi | Anna 18-18.2: bye
# numbers of lines and pages are no words
7⏎1   Q.  Where were you? ¶ 2   A.  At home. I was ¶ 3   ill.⏎4   Q.  Alone?⏎5   A.  Yes.⏎
→ Q: Where were you? | A: At home. I was ill. | Q: Alone? | A: Yes.
# fields above the first turn have no speakers
INTERVIEWER: Ben Wu⏎INTERVIEWEE: Ann Low⏎DATE: 5 May ¶ BW: When did you begin?⏎AL: In May.⏎BW: And now?⏎AL: I work.⏎
→ -: INTERVIEWER: Ben Wu INTERVIEWEE: Ann Low DATE: 5 May | BW: When did you begin? | * | * | *
# unless all names are in that paragraph
BW: When did you begin?⏎AL: In May.⏎BW: And now?⏎AL: Now I work.⏎Note: late. ¶ The end.
→ BW: When did you begin? | AL: In May. | BW: And now? | AL: Now I work. Note: late. ¶ The end.
""")
def test_turns_have_their_speakers_words_and_times(text, turns):
    assert guess_format(text) == "turns"
    assert describe(read_turns(text)) == turns


@cases("""
text → turns
# a blank line within a turn is a paragraph
ANNA: first ¶ second ¶ BEN: ok⏎ → ANNA: first ¶ second | BEN: ok
# lines with a time alone are times
Anna: hi ¶ 00:05:00 ¶ Ben: abcd⏎ → Anna: hi | Ben 300-300.267: abcd
# part of a long recording keeps its times
18:04 Anna: hi⏎24:06 Ben: hi⏎ → Anna 1084-1084.2: hi | Ben 1446-1446.133: hi
[00:18:04] Anna: hi⏎[00:18:06] Ben: hi⏎ → Anna 1084-1084.2: hi | Ben 1086-1086.133: hi
# other numbers are words
ANNA: we saw⏎2 dogs⏎BEN: and⏎3 cats⏎ → ANNA: we saw 2 dogs | BEN: and 3 cats
""")
def test_turns_that_are_not_recognised_can_be_read(text, turns):
    assert describe(read_turns(text)) == turns


def test_sounds_and_notices_in_angle_brackets_share_no_sentence_with_speech():
    transcript = read_turns("ANNA: so\n[LAUGHTER]\nwell\nBEN: ok")
    assert list_sentence_beginnings(transcript) == ["so", "[LAUGHTER]", "well", "ok"]
    transcript = read_turns("01/02/2026, 09:30 - Anna: <Media omitted>\nsee\n01/02/2026, 09:31 - Ben: ok\n")
    assert len(transcript.sentence_starts) == 3


def test_text_without_names_is_refused():
    with pytest.raises(JointValueError, match=r"\[J468\] file.txt"):
        read_turns("hi nora\nit's me")
    assert read_turns(" \n").text == ""


def test_times_of_descript_are_next_to_names_and_in_the_text():
    text = "**Anna:** [00:00:02] hi all [00:00:04] there\n\n**Ben:** [00:00:10] yes\n\n**Anna:** [00:00:12] bye"
    assert guess_format(text) == "turns"
    words = ["hi 2-2.2", "all 2.3-2.6", "there 4-4.5", "yes 10-10.3", "bye 12-12.2"]
    assert describe_words(read_turns(text)) == words
    text = "**Anna:**\n[00:02] hi all\n[00:04] there\n\n**Ben:**\n[00:10] yes\n"
    assert describe_words(read_turns(text)) == [*words[:3], "yes 10-10.2"]
    assert describe(read_turns("Anna: [00:02] hi\nBen: [00:05] yes\n")) == ["Anna 2-2.2: hi", "Ben 5-5.2: yes"]


def test_turns_may_begin_after_a_header():
    turns = "Anna: Hi Ben. How are you?\nBen: Well.\nAnna: And the dog?\nBen: He is ill.\nAnna: Oh no!\n"
    transcript = read_string(f"A talk\n5 March\n\n{turns}")
    assert list_turns(transcript)[:2] == [(None, "A talk 5 March"), ("Anna", "Hi Ben. How are you?")]
    marked = turns.replace("Anna:", "**[0:02] Anna:**").replace("Ben:", "**[0:09] Ben:**")
    assert list_turns(read_string(f"# A talk\n\nDuration: 9 minutes\n\n{marked}"))[0] == (
        None,
        "# A talk\n\nDuration: 9 minutes",
    )
    # Numbered speakers need no marks at the ends of lines.
    recognised = re.sub("[.?!]", "", turns).replace("Anna:", "Speaker 1:").replace("Ben:", "Speaker 2:")
    assert guess_format(f"A talk\n\n{recognised}") == "turns"
    capitals = re.sub("[.?!]", "", turns).replace("Anna", "ANNA").replace("Ben:", "BEN:")
    assert guess_format(f"A talk\n\n{capitals}") == "turns"
    # Unless the header is longer than the conversation.
    assert guess_format("A talk.\n" * 20 + turns) == "text"
    examination = "THE TRIAL\nBY MR. LOW:\nQ. Where were you on the\nfifth?\nA. At home.\nQ. Alone?\nA. Yes.\n"
    assert guess_format(examination) == "turns"


@pytest.mark.parametrize("direction", ["(on phone)", "[off, laughing]", "(Ely) (Ind)"])
def test_directions_after_names_are_kept_as_sounds(direction):
    transcript = read_turns(f"ANNA {direction}: hi ben\nBEN: hi\nANNA {direction}:\nBEN: bye\n")
    turns = [("ANNA", f"{direction} hi ben"), ("BEN", "hi"), ("ANNA", direction), ("BEN", "bye")]
    assert list_turns(transcript) == turns
    assert list_sentence_beginnings(transcript)[:3] == [direction.split()[0], "hi", "hi"]


@pytest.mark.parametrize("head", ["18:04 {}:", "[18:04] {}:", "{} [18:04]:", "**{}** (18:04):", "18:04:11 {}:"])
def test_times_of_day_are_no_times_of_a_recording(head):
    transcript = read_turns(f"{head.format('Anna')} hi ben\n{head.format('Ben').replace('04', '05')} hi\n")
    assert list_turns(transcript) == [("Anna", "hi ben"), ("Ben", "hi")]
    assert transcript.find_times(0, 2) is None
