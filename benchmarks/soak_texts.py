"""Generated texts for `soak.py`: any script and form, several sources, queries; and what a summary promises.

And generated problems, whose best choice is known from trying all.
"""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from itertools import pairwise
from math import floor
from pathlib import Path
from random import Random
from typing import Any, get_args

import numpy as np

from tersely import Summarizer, Summary, verify
from tersely.errors import UsageError
from tersely.select import SELECTORS, Problem
from tersely.text import Language
from tersely.text.length import count_words

WORDS = {
    "en": "the a of rain river Harbor ships U.S. Mr. 3.5 e.g. won't “quoted” (aside) however It This said 12:30 p.m.",
    "de": "der die Fluss Regen z.B. Dr. am 3. Mai und Straße Überflutung sagte „Wasser“ jedoch",
    "ru": "река дождь и в город г. Москва который вода сказал ул. это",
    "ar": "النهر المطر في المدينة و قال هذا الماء كبير",
    "hi": "नदी बारिश और शहर में यह पानी बहुत था",
    "tr": "nehir yağmur ve şehir İstanbul ılık su dedi bu",
    "ko": "강이 비가 그리고 도시 물은 말했다 이것은",
}
DENSE = {"zh": "河流下雨城市的了是在他说水很大三月工程因此", "ja": "川は雨がの町で水を言ったこれ大きい工事"}
THAI = "แม่น้ำฝนตกในเมืองน้ำมากเขากล่าวว่า"
ODD = [
    "\0",
    "\u200b",
    "\u202e",
    "\ufeff",
    "e\u0301",
    "👩‍👩‍👧",
    "\U0001f600",
    "\ud800",
    "\u2028",
    "\x85",
    "﷽",
    "-" * 40,
    "....",
    "<b>",
    "&amp;",
    "|",
]
ENDS = {"zh": "。！？；…", "ja": "。！？", "hi": "।?!", "ar": ".؟!"}
GAPS = [" ", " ", " ", "\n", "\n\n", "\r\n", "  ", "\n- ", "\n\n# ", "\n1. ", "\n> ", "\n    ", "\t", "\u3000"]
SCORERS = [None, None, None, None, "news", "lead", "random", "coverage"]
SEPARATORS = [None, None, None, " ", "", "\n", " | ", "\n\n- ", "。"]
# Everything else about a summary, with how it is most often left.
CHOICES: dict[str, list[Any]] = {
    "order": ["document", "document", "rank"],
    "redundancy": ["duplicates", "duplicates", "trigrams", "off"],
    "coherence": [None, None, "strict", "soft", "off"],
    "separator": SEPARATORS,
    "omission": [None, None, None, "[...]", "…", "account"],
    "speakers": [True, True, False],
    "times": [False, False, True],
}
STAMPS = ["", "[12:01] ", "[00:12:31] ", "12/03/2025, 09:41 - "]
PINS = ["amounts", "dates", "ids", "errors", "rain|River", r"\d+"]


def sentence(chance: Random, language: str) -> str:
    """Make a sentence, or what might be taken for one."""
    size = chance.choice([1, 3, 8, 8, 15, 30])
    if language in DENSE:
        made = "".join(chance.choices(DENSE[language], k=2 * size))
    elif language == "th":
        made = " ".join("".join(chance.choices(THAI, k=8)) for _ in range(size))
    else:
        made = " ".join(chance.choices(WORDS[language].split(), k=size))
        made = made[:1].upper() + made[1:]
    if chance.random() < 0.05:
        place = chance.randrange(len(made) + 1)
        made = made[:place] + chance.choice(ODD) + made[place:]
    return made + (chance.choice(ENDS.get(language, "...?!")) if chance.random() < 0.95 else "")


def text(chance: Random) -> str:
    """Make a text of up to sixty sentences, mostly in one language; some of its sentences come again."""
    main = chance.choice([*WORDS, *DENSE, "th", "en", "en", "zh"])
    made: list[str] = []
    for _ in range(chance.choice([0, 1, 2, 5, 10, 10, 25, 25, 60])):
        again = made and chance.random() < 0.05
        language = main if chance.random() < 0.97 else chance.choice([*WORDS, *DENSE])
        made.append(chance.choice(made) if again else sentence(chance, language))
    gap = chance.choice(GAPS)
    return "".join(one + (gap if chance.random() < 0.8 else chance.choice(GAPS)) for one in made)


def talk(chance: Random) -> str:
    """Make a conversation: turns of two or three speakers, some with stamps."""
    language, stamp = chance.choice([*WORDS, "en", "en", "zh"]), chance.choice(STAMPS)
    names = chance.sample(["Ann", "Bob Lee", "李明", "Dr. Roy"], k=3)
    turns = [
        f"{stamp}{chance.choice(names)}: " + " ".join(sentence(chance, language) for _ in range(chance.randint(1, 3)))
        for _ in range(chance.randint(3, 15))
    ]
    return "\n".join(turns)


def tokens(text: str) -> int:
    """Count tokens in a way of its own, in which joining may merge two."""
    return len(re.findall(r"\w{1,4}|\s\W|\W", text))


@cache
def summarizer(name: str | None) -> Summarizer:
    """Load a model once."""
    return Summarizer.load(name) if name in (None, "news") else Summarizer.load(scorer=name)


class Selections:
    """Small problems with lengths, needs that are priced, and sentences that must be in or out."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        del folder, stack

    def case(self, chance: Random) -> list[str]:
        """Solve one problem by the knapsack, and by trying every choice."""
        count = chance.randint(1, 9)
        roles = chance.choices("fffffie", k=count)
        include = frozenset(i for i, role in enumerate(roles) if role == "i")
        lengths = [chance.randint(0, 9) for _ in range(count)]
        separator = chance.randint(0, 2)
        needed = sum(lengths[i] + separator for i in include) - separator if include else 0
        order = chance.sample(range(count), count)
        cures = [-1] * count
        for place, number in enumerate(order):
            above = chance.randint(-1, place - 1)
            cures[number] = order[above] if above >= 0 else -1
        problem = Problem(
            np.array([chance.randint(-3, 6) for _ in range(count)], float),
            np.array(lengths),
            capacity=needed + chance.randint(0, 25),
            separator=separator,
            include=include,
            exclude=frozenset(i for i, role in enumerate(roles) if role == "e"),
            cures=tuple(cures),
            bonus=np.array([chance.randint(0, 4) for _ in range(count)], float),
        )
        best = max(_worth(problem, choice) for choice in _choices(problem))
        chosen = set(KNAPSACK(problem).chosen)
        assert chosen in list(_choices(problem))
        assert _worth(problem, chosen) == best, (problem, chosen)
        return ["with needs" if max(cures) >= 0 else "without needs"]


KNAPSACK = SELECTORS.create("knapsack")


def _choices(problem: Problem) -> Iterator[set[int]]:
    """Return every choice that fits, with what must be in and without what must not."""
    for number in range(2 ** len(problem.lengths)):
        chosen = {i for i in range(len(problem.lengths)) if number >> i & 1}
        size = sum(int(problem.lengths[i]) + problem.separator for i in chosen) - problem.separator
        fits = not chosen or size <= problem.capacity
        if fits and problem.include <= chosen and not problem.exclude & chosen:
            yield chosen


def _worth(problem: Problem, chosen: set[int]) -> float:
    """Return the values of a choice, and what is met of its needs."""
    assert problem.bonus is not None
    met = sum(float(problem.bonus[i]) for i in chosen if problem.cures[i] in chosen)
    return met + sum(float(problem.values[i]) for i in chosen)


class Texts:
    """Summaries and frontiers of generated texts."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        del folder, stack

    def case(self, chance: Random) -> list[str]:
        """Summarize one text, or several sources, and check all that is promised about it."""
        many = chance.random() < 0.2
        made = [(talk if chance.random() < 0.1 else text)(chance) for _ in range(chance.randint(2, 4) if many else 1)]
        source: Any = [{"id": f"s{i}", "text": one} for i, one in enumerate(made)] if many else made[0]
        how = {name: chance.choice(values) for name, values in CHOICES.items()}
        if how["omission"] == "account":
            how["order"] = "document"
        if many and chance.random() < 0.5:
            how["header"] = "{number} {id}: "
        if chance.random() < 0.2:
            how["query"] = sentence(chance, chance.choice([*WORDS, *DENSE]))
        if chance.random() < 0.2:
            how["language"] = chance.choice(get_args(Language))
        if chance.random() < 0.1:
            how |= {"include": [chance.randrange(4)], "exclude": [chance.randrange(4, 8)]}
        if chance.random() < 0.05:
            how["keep"] = [chance.choice(PINS[:4])]  # a pattern of the user's is searched in a process of its own
        unit = chance.choice(["chars", "words", "tokens", "bytes", "sentences", "ratio"])
        return _try(chance, summarizer(chance.choice(SCORERS)), source, unit, how)


def _try(chance: Random, model: Summarizer, source: Any, unit: str, how: dict[str, Any]) -> list[str]:
    limit = chance.randint(1, 20) if unit == "sentences" else chance.choice([5, 40, 200, 1000]) + chance.randrange(40)
    budget: dict[str, Any] = {"ratio": chance.random() or 1.0} if unit == "ratio" else {f"max_{unit}": limit}
    if unit == "tokens":
        budget["tokenizer"] = tokens
    try:
        summary = model.summarize(source, **budget, **how)
    except UsageError:
        # A sentence that does not exist or fit, a question without a word: nothing else is refused.
        assert {"include", "query", "keep"} & how.keys(), (budget, how)
        return ["refused"]
    check(summary, source, unit, how)
    counted = ["sources" if isinstance(source, list) else "texts", f"in {unit}", summary.reason]
    if chance.random() < 0.1:
        assert model.summarize(source, **budget, **how).to_json() == summary.to_json()
        counted.append("again")
    exact = model.name == "editor" and how["redundancy"] != "trigrams"  # only a choice tells what may go with it
    if chance.random() < 0.1 and unit in ("chars", "bytes", "sentences") and exact and summary.length:
        assert model.summarize(source, **{f"max_{unit}": summary.length}, **how).text == summary.text  # type: ignore[call-overload]
        counted.append("for its own length")
    if chance.random() < 0.02 and unit in ("chars", "words", "bytes", "sentences"):
        steps = model.frontier(source, unit=unit, **how).steps(20)  # type: ignore[arg-type]
        assert all(step.length <= step.budget for step in steps), steps
        # Where only a choice tells how long it is, a larger budget may be worth less.
        if exact and not how["omission"] and "header" not in how:
            assert all(after.value >= before.value - 1e-9 for before, after in pairwise(steps)), steps
        counted.append("frontiers")
    if chance.random() < 0.1 and "language" not in how and not any(each.speaker for each in summary.sentences):
        # The marks before the lines of a quotation are no words of it.
        quoted = (each.text for each in summary.sentences if ">" not in each.text)
        claims = "\n\n".join(" ".join(text.split()) for text in quoted)
        assert verify(claims, source, language=summary.language).ok, claims
        counted.append("verified")
    return counted


def check(summary: Summary, source: Any, unit: str, how: dict[str, Any]) -> None:
    """Check that a summary fits, is verbatim, and says the truth about itself."""
    chosen = [each.index for each in summary.sentences]
    sizes = {
        "chars": len(summary.text),
        "ratio": len(summary.text),
        "words": count_words(summary.text),
        "tokens": tokens(summary.text),
        "bytes": len(summary.text.encode("utf-8", "surrogatepass")),
        "sentences": len(chosen),
    }
    most = floor(summary.budget.limit * len(summary.source) + 1e-9) if unit == "ratio" else summary.budget.limit
    assert sizes[unit] == summary.length <= most, (sizes, summary.length, most)
    texts = {each["id"]: each["text"] for each in source} if isinstance(source, list) else {None: source}
    assert all(texts[each.source][each.start : each.end] == each.text for each in summary.ranking)
    _check_text(summary, how)
    assert set(how.get("include", ())) <= set(chosen) or summary.reason == "empty-input"
    assert not set(how.get("exclude", ())) & set(chosen)
    assert sorted(chosen) == sorted(each.index for each in summary.ranking if each.selected)
    assert sorted(each.index for each in summary.ranking) == list(range(len(summary.ranking)))
    assert all((each.rejected == "") == each.selected for each in summary.ranking)
    assert how["order"] == "rank" or chosen == sorted(chosen)
    if summary.reason in ("nothing-fits", "empty-input"):
        assert not summary.text
        assert summary.needed is None or summary.needed > most


def _check_text(summary: Summary, how: dict[str, Any]) -> None:
    """Check that the text is the chosen sentences in order, apart from white space and what was to go between them."""
    left = _dense(summary.text)
    labeled = any(each.speaker for each in summary.sentences)
    if how["separator"] is not None and not how["omission"] and "header" not in how and not labeled:
        assert left == _dense(how["separator"]).join(_dense(each.text) for each in summary.sentences)
    for dense in filter(None, (_dense(each.text) for each in summary.sentences)):
        before, found, left = left.partition(dense)
        assert found, dense
        assert len(before) < 50 or how["omission"] == "account"


def _dense(text: str) -> str:
    # The marks before the lines of a quotation are not shown either.
    return "".join(text.replace(">", " ").split())
