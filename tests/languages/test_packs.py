"""One file makes a language known, and what each language lacks is declared."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tersely
from tersely.languages import FIELDS, LANGUAGES, UNKNOWN, pack, packs
from tersely.text import Document, detect_language

# Fields that a language does without because of its script or its grammar, or because no rule has needed them yet.
OPTIONAL = set(
    "endings abbreviations.first_words abbreviations.after_hour lines.chapter_patterns lines.page_patterns "
    "lines.pictures lines.unfinished lines.credits pdf.page_patterns talk.other_labels talk.introductions talk.verbs "
    "talk.days talk.at talk.system talk.machines talk.sounds talk.fillers "
    "headings.facts headings.holding headings.order faults.fatal faults.errors faults.warnings "
    "logs.severe logs.problems logs.levels logs.totals pins.months pins.before_years pins.dates pins.amounts "
    "questions.price".split()
)
_HEADINGS = "abstract introduction method result discussion conclusion references acknowledgment"
_MAIL = "headers subjects original forwarded wrote sign_offs"
_LINES = "lines.chapters lines.captions lines.pages lines.page_totals"
_PDF = "pdf.captions pdf.pages pdf.page_totals pdf.joining"
_TALK = "talk.question_labels talk.answer_labels"
_QUESTIONS = "questions.when questions.how_many"
_ABBREVIATIONS = "abbreviations.never abbreviations.seldom abbreviations.before_number"


def _of(section: str, names: str) -> str:
    return " ".join(f"{section}.{name}" for name in names.split())


_FORMS = f"{_of('headings', _HEADINGS)} {_LINES} {_TALK} {_of('mail', _MAIL)} {_QUESTIONS} {_PDF}"
LACKING = {
    "en": "",
    "zh": f"stop_words {_ABBREVIATIONS} lines.chapters lines.pages lines.page_totals "
    "pdf.pages pdf.page_totals pdf.joining",
    "de": "",
    "fr": "mail.forwarded",
    "es": f"{_TALK} mail.forwarded",
    "it": f"{_TALK} mail.forwarded",
    "pt": f"{_TALK} {_of('mail', 'headers subjects original forwarded wrote')}",
    "nl": f"{_of('headings', 'discussion references acknowledgment')} lines.chapters lines.captions lines.page_totals "
    f"{_TALK} {_of('mail', 'subjects original forwarded wrote')} {_QUESTIONS} "
    "pdf.captions pdf.page_totals pdf.joining",
    "ru": f"headings.acknowledgment lines.captions lines.pages lines.page_totals {_TALK} {_of('mail', _MAIL)} {_PDF}",
    "tr": _FORMS,
    "ar": _FORMS,
    "hi": _FORMS,
    "bn": _FORMS,
    "ja": f"stop_words {_ABBREVIATIONS} {_LINES} {_TALK} "
    f"{_of('mail', 'subjects original forwarded wrote sign_offs')} {_PDF}",
    "ko": f"stop_words {_ABBREVIATIONS} headings.acknowledgment {_LINES} {_TALK} {_of('mail', _MAIL)} {_PDF}",
    "vi": _FORMS,
    "id": f"{_of('headings', 'discussion acknowledgment')} lines.captions lines.pages lines.page_totals {_TALK} "
    f"{_of('mail', _MAIL)} {_QUESTIONS} {_PDF}",
    "th": f"stop_words {_ABBREVIATIONS} {_FORMS}",
}

POLISH = """
name = "Polish"
stop_words = 'a aby ale jest na nie o od po przez się to w z za że do jak dla oraz'
openers = 'ale jednak on ona to'
pronouns = 'on ona ono oni ich jego jej to'

[abbreviations]
never = 'np prof m.in tzn'
seldom = 'itd itp'
before_number = 'nr str'

[headings]
conclusion = 'wnioski'
"""


@pytest.mark.parametrize("language", LANGUAGES[:-1])
def test_a_language_lacks_what_is_declared(language: str) -> None:
    lacking = FIELDS.keys() - OPTIONAL - pack(language).lists.keys()
    assert lacking == set(LACKING[language].split())


def test_every_field_is_in_some_pack() -> None:
    assert FIELDS.keys() == {name for entry in packs() for name in entry.lists}


def test_patterns_compile_and_words_occur_once() -> None:
    for entry in packs():
        for name, listed in entry.lists.items():
            if isinstance(listed, str):
                words = entry.words(name)
                assert words, (entry.code, name)
                assert len(set(words)) == len(words), (entry.code, name)
            for pattern in entry.patterns(name):
                assert not re.compile(pattern).fullmatch(""), (entry.code, name, pattern)


def test_a_heading_has_one_role_in_all_languages() -> None:
    roles: dict[str, set[str]] = {}
    for entry in packs():
        for name in entry.lists:
            for heading in entry.words(name) if name.startswith("headings.") else ():
                roles.setdefault(heading, set()).add(name)
    assert {heading: names for heading, names in roles.items() if len(names) > 1} == {}


def test_a_field_that_no_language_has_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "xx.toml").write_text('name = "X"\n[mail]\nheader = "from"\n', encoding="utf-8")
    monkeypatch.setattr("tersely.languages.FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"mail\.header"):
        pack.__wrapped__("xx")


def test_a_text_in_a_language_without_a_pack_can_be_read() -> None:
    text = "Kot śpi pod stołem. Pies śpi obok niego."
    assert detect_language(text) == UNKNOWN
    assert len(Document.from_text(text)) == 2


def test_one_new_file_makes_a_language_known(tmp_path: Path) -> None:
    package = Path(tersely.__file__).parent
    for entry in package.iterdir():
        if entry.name not in ("languages", "__pycache__"):
            (tmp_path / "tersely").mkdir(exist_ok=True)
            (tmp_path / "tersely" / entry.name).symlink_to(entry)
    shutil.copytree(package / "languages", tmp_path / "tersely" / "languages")
    (tmp_path / "tersely" / "languages" / "pl.toml").write_text(POLISH, encoding="utf-8")
    code = """
from tersely import summarize
from tersely.text import LANGUAGES, Document, detect_language
from tersely.text.blocks import role_of
text = "To jest kot. Pies nie jest w domu, ale np. Ala jest. Zobacz nr 5 na str. 7 o tym."
print(LANGUAGES[-2:], detect_language(text), len(Document.from_text(text)), role_of("Wnioski"))
print(summarize(text, max_chars=20).language)
"""
    answer = _run(tmp_path, "-c", code)
    assert answer.splitlines() == ["('pl', 'other') pl 3 conclusion", "pl"]
    assert "|pl|other" in _run(tmp_path, "-m", "tersely", "summarize", "--help").replace("\n", "").replace(" ", "")


def _run(folder: Path, *arguments: Any) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True, env=environment, encoding="utf-8"
    ).stdout
