"""Chats and transcripts: who speaks and when is structure, and what nobody says is in no summary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely import UsageError, summarize
from tersely.options import UNITS
from tersely.text.blocks import Part
from tersely.text.document import Document
from tersely.text.length import measure

ANN, BOB = "The hotel in Lyon is full", "There is a farm near Vienne for 900 euros"
AGREED = "Agreed, we take the farm"

# How messengers, recorders and clerks write the same three turns; {0} and {1} are what the speakers say.
FORMATS = {
    "WhatsApp on iOS": "[12/03/2025, 09:02:11] Ann: {0}\n[12/03/2025, 09:03:40] Bob: {1}\n"
    "[12/03/2025, 09:05:01] Ann: {2}",
    "WhatsApp on Android": "12/03/2025, 09:02 - Ann: {0}\n12/03/2025, 09:03 - Bob: {1}\n12/03/2025, 09:05 - Ann: {2}",
    "WhatsApp in German": "12.03.25, 09:02 - Ann: {0}\n12.03.25, 09:03 - Bob: {1}\n12.03.25, 09:05 - Ann: {2}",
    "WhatsApp in French": "12/03/2025 à 09:02 - Ann: {0}\n12/03/2025 à 09:03 - Bob: {1}\n12/03/2025 à 09:05 - Ann: {2}",
    "Signal": "[2025-03-12 09:02] Ann: {0}\n[2025-03-12 09:03] Bob: {1}\n[2025-03-12 09:05] Ann: {2}",
    "Telegram": "Ann, [12.03.2025 09:02]\n{0}\n\nBob, [12.03.2025 09:03]\n{1}\n\nAnn, [12.03.2025 09:05]\n{2}",
    "a group in Telegram": "Trip, [12.03.25 09:02]\nAnn: {0}\n\nTrip, [12.03.25 09:03]\nBob: {1}\n\n"
    "Trip, [12.03.25 09:05]\nAnn: {2}",
    "Slack": "Ann  9:02 AM\n{0}\nBob  9:03 AM\n{1}\nAnn  9:05 AM\n{2}",
    "Slack, copied": "Ann\n  9:02 AM\n{0}\n\nBob\n  9:03 AM\n{1}\n\nAnn\n  9:05 AM\n{2}",
    "Teams": "[Yesterday 9:02 AM] Ann\n{0}\n\n[Yesterday 9:03 AM] Bob\n{1}\n\n[Yesterday 9:05 AM] Ann\n{2}",
    "Discord": "Ann — 09/14/2025 9:02 PM\n{0}\n\nBob — 09/14/2025 9:03 PM\n{1}\n\nAnn — Today at 9:05 PM\n{2}",
    "IRC": "<Ann> {0}\n<Bob> {1}\n<Ann> {2}",
    "IRC with times": "[09:02] <Ann> {0}\n[09:03] <@Bob> {1}\n[09:05] <Ann> {2}",
    "the chat of Zoom": "09:02:11 From Ann to Everyone: {0}\n09:03:11 From Bob to Everyone: {1}\n"
    "09:05:11 From Ann to Everyone: {2}",
    "Otter": "Ann  0:12\n{0}\n\nBob  0:40\n{1}\n\nAnn  1:02\n{2}",
    "subtitles": "WEBVTT\n\n1\n00:00:01.000 --> 00:00:04.000\nAnn: {0}\n\n"
    "2\n00:00:05.000 --> 00:00:08.000\nBob: {1}\n\n3\n00:00:09.000 --> 00:00:12.000\nAnn: {2}",
    "voices": "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ann>{0}</v>\n\n00:05.000 --> 00:08.000\n<v Bob>{1}</v>\n\n"
    "00:09.000 --> 00:12.000\n<v Ann>{2}</v>",
    "a recorder": "[00:12:31] Ann: {0}\n[00:12:40] Bob: {1}\n[00:13:02] Ann: {2}",
    "SMS": "Ann (09:02)\n{0}\n\nBob (09:03)\n{1}\n\nAnn (09:05)\n{2}",
    "names": "Ann: {0}\nBob: {1}\nAnn: {2}",
    "names above": "Ann:\n{0}\n\nBob:\n{1}\n\nAnn:\n{2}",
}


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_who_speaks_is_known_and_no_part_of_what_is_said(form: str) -> None:
    document = Document.from_text(form.format(f"{ANN}.", f"{BOB}. It is dry.", f"{AGREED}."))
    assert document.display_texts == (f"{ANN}.", f"{BOB}.", "It is dry.", f"{AGREED}.")
    assert document.speakers == ("Ann", "Bob", "Bob", "Ann")


def test_questions_and_answers_in_court_are_turns() -> None:
    asked = "THE COURT: Go on.\nQ. Where were you?\nA. At home. I slept.\nQ. Alone?\nA. Yes.\nTHE COURT: Thank you."
    assert Document.from_text(asked).speakers == ("THE COURT", "Q", "A", "A", "Q", "A", "THE COURT")
    assert Document.from_text(asked).texts[1:4] == ("Where were you?", "At home.", "I slept.")
    assert set(Document.from_text("A. One fish.\nB. Two fish.\nQ. Red fish.").speakers) == {""}


NOTICES = [
    "Messages and calls are end-to-end encrypted. Only people in this chat can read them.",
    "\u200eimage omitted",
    "<Media omitted>",
    "This message was deleted",
    "joined using this group's invite link",
    "<Medien ausgeschlossen>",
]


@pytest.mark.parametrize("notice", NOTICES)
def test_what_a_messenger_says_itself_is_no_sentence(notice: str) -> None:
    lines = [
        f"[12/03/2025, 09:0{i}:11] {said}" for i, said in enumerate((f"Ann: {ANN}", f"Bob: {notice}", f"Ann: {AGREED}"))
    ]
    document = Document.from_text(
        "\n".join([*lines, "[12/03/2025, 09:09:11] Cy added Dan", "[12/03/2025, 09:10:11] Bob: ok"])
    )
    assert document.texts == (ANN, AGREED, "ok")
    assert {block.kind for block in document.blocks} == {"turn", "header"}


def test_sounds_and_fillers_are_not_shown_but_keep_their_places() -> None:
    text = "A: {vocalsound} So, um, we ship it. [laughter]\nB: Um.\nA: Uh, on Monday at 5 mm.\nB: (laughs) Fine by me."
    document = Document.from_text(text)
    assert document.display_texts == ("So we ship it.", "on Monday at 5 mm.", "Fine by me.")
    assert all(text[start:end] == shown for (start, end), shown in zip(document.sentences, document.texts, strict=True))
    german = Document.from_text(
        "A: Wir treffen uns um neun.\nB: Ähm, wo ist das denn?\nA: Das ist um die Ecke, und es ist gut."
    )
    assert german.display_texts[:2] == ("Wir treffen uns um neun.", "wo ist das denn?")


OTHERS = {
    "a timetable": "9:00 Opening: the mayor\n10:00 Panel: the harbor\n11:00 Break: coffee\n12:00 Panel: the town",
    "a log": "[2025-03-12 09:02:11] ERROR: the disk is full\n[2025-03-12 09:02:12] INFO: it was retried\n"
    "[2025-03-12 09:02:13] ERROR: the disk is full",
    "hours": "Monday 9:00\nThe pool opens for all swimmers.\nTuesday 10:00\nThe pool opens for children only.",
    "a sentence": "We met at 9:00.\nAnn came at 9:30.\nNobody else came at 10:00.",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_texts_with_times_are_no_chats(text: str) -> None:
    document = Document.from_text(text)
    assert set(document.times) == {""}
    assert "".join("".join(document.texts).split()) == "".join(text.split())


CHAT = FORMATS["WhatsApp on iOS"].format(
    f"{ANN}. It is a pity", f"{BOB}. It has a kitchen", f"{AGREED}. I pay on Monday"
)


def test_a_summary_says_who_speaks_once_for_each_turn_and_when_if_asked() -> None:
    chosen = {"include": {2, 3, 5}, "max_sentences": 3}
    assert summarize(CHAT, **chosen).text == f"Bob: {BOB}. It has a kitchen Ann: I pay on Monday"  # type: ignore[call-overload]
    assert summarize(CHAT, **chosen, speakers=False).text == f"{BOB}. It has a kitchen I pay on Monday"  # type: ignore[call-overload]
    timed = summarize(CHAT, **chosen, times=True)  # type: ignore[call-overload]
    assert timed.text.endswith("kitchen [12/03/2025, 09:05:01] Ann: I pay on Monday")
    assert (
        timed.to_dict()["sentences"][0] | {"speaker": "Bob", "time": "12/03/2025, 09:03:40"}
        == timed.sentences[0].to_dict()
    )
    assert timed.sentences[0].text == CHAT[timed.sentences[0].start : timed.sentences[0].end]
    with pytest.raises(UsageError, match="speakers must be True or False, not 'no'"):
        summarize(CHAT, max_chars=9, speakers="no")  # type: ignore[call-overload]


@pytest.mark.parametrize("text", ["Look! A fish swims", "Ann: Look! A fish swims"])
def test_the_speaker_of_a_part_is_named_once(text: str) -> None:
    document = Document.from_blocks([Part("turn", text, speaker="Ann"), Part("turn", "Where is it?", speaker="Bob")])
    assert summarize(document, max_sentences=2, include={0, 1}).text == "Ann: Look! A fish swims"


def test_a_line_of_somebody_without_a_name_is_given_to_nobody() -> None:
    text = "Is everybody here?\nAnn: I am here, with Bob.\nGood, we begin.\nBob: I was on mute.\nAnn: We hear you now."
    assert Document.from_text(text).speakers == ("", "Ann", "", "Bob", "Ann")


def test_a_chat_that_fits_is_shown_as_it_is() -> None:
    assert summarize(CHAT, max_chars=1000).text == CHAT
    assert summarize([CHAT, CHAT + "."], max_chars=2000).text.startswith(CHAT)


turns = st.lists(
    st.tuples(
        st.sampled_from(["Ann", "Bob Lee", "Cy"]),
        st.sampled_from([ANN, BOB, AGREED, "um", "ok. So it is", "[laughter]"]),
    ),
    min_size=2,
    max_size=12,
)


@given(
    turns,
    st.sampled_from(UNITS),
    st.integers(1, 120),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["document", "rank"]),
)
def test_labels_count_in_the_budget(
    said: list[tuple[str, str]], unit: str, limit: int, speakers: bool, times: bool, order: str
) -> None:
    text = "\n".join(f"[12/03/2025, 09:{i:02}:00] {name}: {words}" for i, (name, words) in enumerate(said))
    options = {"speakers": speakers, "times": times, "order": order, "tokenizer": lambda part: len(part.split())}
    summary = summarize(text, **{f"max_{unit}": limit}, **options)  # type: ignore[call-overload]
    assert summary.length <= limit
    if unit != "sentences":
        assert measure(summary.text, unit, lambda part: len(part.split())) == summary.length  # type: ignore[arg-type]
    assert all(text[s.start : s.end] == s.text for s in summary.sentences)
    assert summary == summarize(text, **{f"max_{unit}": limit}, **options)  # type: ignore[call-overload]


def test_a_day_above_what_is_said_is_no_name() -> None:
    posts = [
        ("heron_4", "14 May, 18:22", "My hive has no queen."),
        ("OldDrone", "14 May, 19:03", "Do not buy one yet."),
    ]
    text = "\n\n".join(f"{name}\n{time}\n{said}" for name, time, said in posts * 2)
    document = Document.from_text(text)
    assert set(document.speakers) == {"heron_4", "OldDrone"}
    assert set(document.times) == {"14 May, 18:22", "14 May, 19:03"}
