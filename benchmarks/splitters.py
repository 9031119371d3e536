"""Our sentence splitter beside others in one run: hard cases in many languages, and speed.

Prints Markdown. A case counts if all of its sentences are right, whatever the white space around them. The cases are
in `splitters.tsv`; they were written by hand before any splitter saw them. Each speed is a multiple of ours: the
splitters take turns on the same text, and the fastest of the rounds counts.

Needs `pip install --group splitters`; a splitter that is not installed is left out.
"""

import argparse
import time
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from tersely.text import split_sentences

CASES = Path(__file__).with_suffix(".tsv")
OURS = "tersely"
Split = Callable[[str, str], Iterable[str]]


def main() -> None:
    """Print a table of right cases by language, with a row of speeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="times each splitter runs; default 5")
    parser.add_argument("--wrong", action="store_true", help="also print the cases that our splitter gets wrong")
    args = parser.parse_args()
    lines = (line.split("\t") for line in CASES.read_text(encoding="utf-8").splitlines())
    cases = [(language, [part.strip() for part in marked.split("¦")], marked) for language, marked in lines]
    splitters = installed()
    right = {name: [is_right(split, *case) for case in cases] for name, split in splitters.items()}
    print(f"| cases | number | {' | '.join(splitters)} |\n|---|---:|{'---:|' * len(splitters)}")
    for language in dict.fromkeys(language for language, _, _ in cases):
        rows = [number for number, case in enumerate(cases) if case[0] == language]
        print(f"| {language} | {len(rows)} | {' | '.join(str(sum(right[n][i] for i in rows)) for n in splitters)} |")
    print(f"| **all** | {len(cases)} | {' | '.join(str(sum(right[name])) for name in splitters)} |")
    seconds = speeds(splitters, cases, args.rounds)
    print(f"| time, ours = 1 | | {' | '.join(f'{each / seconds[OURS]:.2f}' for each in seconds.values())} |")
    for case, good in zip(cases, right[OURS], strict=True):
        if args.wrong and not good:
            print(case[0], "¦".join(ours(case[2].replace("¦", ""), case[0])))


def is_right(split: Split, language: str, wanted: list[str], marked: str) -> bool:
    """Tell whether a splitter finds all sentences of a case; one that does not know the language does not."""
    try:
        return [part.strip() for part in split(marked.replace("¦", ""), language) if part.strip()] == wanted
    except (KeyError, ValueError):
        return False


def speeds(splitters: Mapping[str, Split], cases: list[Any], rounds: int) -> dict[str, float]:
    """Return the seconds of the fastest round of each splitter over the cases in English and German, repeated."""
    texts = [(" ".join([marked.replace("¦", "")] * 20), lang) for lang, _, marked in cases if lang in ("en", "de")]
    best = dict.fromkeys(splitters, float("inf"))
    for _ in range(rounds):
        for name, split in splitters.items():
            started = time.perf_counter()
            for text, language in texts:
                list(split(text, language))
            best[name] = min(best[name], time.perf_counter() - started)
    return best


def installed() -> dict[str, Split]:
    """Return the splitters that can be imported, ours first."""
    found: dict[str, Split] = {OURS: ours}
    for make in (pysbd, syntok, sentencex, nupunkt, blingfire):
        try:
            found[make.__name__] = make()
        except ImportError:
            continue
    return found


def ours(text: str, language: str) -> list[str]:
    """Split as this package does."""
    return [text[start:end] for start, end in split_sentences(text, language)]


def pysbd() -> Split:
    """Rules for 23 languages."""
    library = import_module("pysbd")
    kept: dict[str, Any] = {}

    def split(text: str, language: str) -> list[str]:
        if language not in kept:
            kept[language] = library.Segmenter(language=language, clean=False)
        return list(kept[language].segment(text))

    return split


def syntok() -> Split:
    """Rules for English, German and Spanish."""
    library = import_module("syntok.segmenter")
    return lambda text, _: (
        "".join(token.spacing + token.value for token in sentence)
        for paragraph in library.analyze(text)
        for sentence in paragraph
    )


def sentencex() -> Split:
    """Rules for many languages, in Rust."""
    library = import_module("sentencex")
    return lambda text, language: library.segment(language, text)


def nupunkt() -> Split:
    """Punkt, trained on English legal texts."""
    library = import_module("nupunkt")
    return lambda text, _: library.sent_tokenize(text)


def blingfire() -> Split:
    """A finite automaton for English."""
    library = import_module("blingfire")
    return lambda text, _: library.text_to_sentences(text).split("\n")


if __name__ == "__main__":
    main()
