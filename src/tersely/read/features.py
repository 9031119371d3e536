"""The features of each sentence, which the reader's network gets beside its tokens. Any language has them."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, pairwise
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tersely.languages import pack
from tersely.read.tokens import (
    FEATURES,
    FLAGS,
    Columns,
    Floats,
    Tokens,
    TokenTerms,
    names_in,
    quotations,
    terms_of,
    tokens_of,
    unpacked,
)
from tersely.text.blocks import KINDS, NOISE

if TYPE_CHECKING:
    from tersely.text.document import Document

_OPENING = 3  # sentences that say what a text is about, as features see it
_HEADINGS = 5  # headings whose words count
_AT_ONCE = 1024  # sentences whose tokens are counted together, to save memory
SECTIONS = (
    "abstract introduction method result discussion conclusion references acknowledgment facts claim defense holding "
    "order"
).split()


def features_of(document: "Document", tokens: Tokens, terms: TokenTerms) -> Floats:
    """Return the features of each sentence, [n, f]; their names are `feature_names`."""
    matrix = np.empty((FEATURES, len(document)), np.float32)
    rows = iter(matrix)
    for columns in _columns(document, tokens, terms):
        for column in columns.values():
            next(rows)[:] = column
    return matrix.T


@cache
def feature_names() -> tuple[str, ...]:
    """Return the names of the features, in order."""
    from tersely.text.document import Document

    document = Document.from_text("One fish swims. Two fish do not.")
    tokens = tokens_of(document)
    return tuple(chain.from_iterable(_columns(document, tokens, terms_of(tokens))))


def _columns(document: "Document", tokens: Tokens, terms: TokenTerms) -> Iterator[Columns]:
    """Yield the features group by group, so that not all are in memory at once."""
    lines = _line_starts(document)
    yield _place(document, lines)
    form, sums = _form(document, tokens)
    yield form
    del form
    quoted = quotations(tokens, lines)
    yield quoted
    yield names_in(tokens)
    yield _content(document, terms)
    yield _talk(document)
    yield _profile(document, sums, quoted, lines)
    yield _one_hot("kind", KINDS, document.kinds)
    yield _one_hot("section", SECTIONS, document.roles)


def _one_hot(prefix: str, names: Sequence[str], labels: Sequence[str]) -> Columns:
    """Return a column for each name, which is 1 for the sentences with that label."""
    numbers = {name: number for number, name in enumerate(names)}
    places = np.array([numbers.get(label, -1) for label in labels])
    table = places[:, None] == np.arange(len(names))
    return {f"{prefix}_{name}": table[:, number] for number, name in enumerate(names)}


def _line_starts(document: "Document") -> NDArray[np.bool_]:
    """Return for each sentence whether it is the first of a line."""
    text, spans = document.text, document.sentences
    gaps = ["\n" in text[span.end : following.start] for span, following in pairwise(spans)]
    return np.array([True, *gaps])


def _place(document: "Document", lines: NDArray[np.bool_]) -> Columns:
    count = len(document)
    place = np.arange(count)
    body = np.array([kind not in NOISE for kind in document.kinds])
    in_body, size = body.cumsum() - body, max(int(body.sum()), 1)
    block = document.block_numbers
    first = np.flatnonzero(np.diff(block, prepend=-1))[block]
    place_in_block, sizes = place - first, np.bincount(block)[block]
    sections = np.array(document.sections)
    return {
        "place": np.log1p(place),
        "place_inverse": 1 / (1 + place),
        "place_share": place / max(count - 1, 1),
        "place_from_end": np.log1p(count - 1 - place),
        "first": place == 0,
        "second": place == 1,
        "third": place == 2,
        "last": place == count - 1,
        "body": body,
        "body_place": np.log1p(in_body),
        "body_inverse": np.where(body, 1 / (1 + in_body), 0.0),
        "body_share": in_body / size,
        "body_from_end": np.log1p(np.maximum(size - 1 - in_body, 0)),
        "line_start": lines,
        "block_start": place_in_block == 0,
        "block_end": place_in_block == sizes - 1,
        "block_place": np.log1p(place_in_block),
        "block_size": np.log(sizes),
        "block_number": np.log1p(block),
        "section": np.log1p(sections[:, 0]),
        "section_place": np.log1p(sections[:, 1]),
    }


def _form(document: "Document", tokens: Tokens) -> tuple[Columns, dict[str, NDArray[np.float64]]]:
    """Return features of length, letters and marks, and how many tokens of each kind a sentence has."""
    sums = dict(zip(FLAGS, _counted(tokens).T, strict=True))
    words, count = sums["word"], tokens.counts
    at_least_one = np.maximum(words, 1)
    ends = tokens.starts + count - 1
    first, second, last = (
        dict(zip(FLAGS, unpacked(tokens.flags[place]).astype(bool).T, strict=True))
        for place in (tokens.starts, np.minimum(tokens.starts + 1, ends), ends)
    )
    opening = {
        name: np.where(first["word"], first[name], second[name])
        for name in ("word", "title", "opener", "pronoun", "stop")
    }
    scale = float(pack(document.language).letters_per_character)
    lengths = np.array(list(map(len, document.voiced))) * scale
    sizes = np.log(np.maximum(lengths, 1.0))
    columns: Columns = {
        "size": sizes,
        "size_score": _standard(sizes),
        "size_rank": _rank(lengths),
        "tokens": np.log(count),
        "words": np.log1p(words),
        "few_words": words < 6,
        "hardly_words": words < 3,
        "share_title": (sums["title"] - first["title"]) / at_least_one,
        "share_upper": sums["upper"] / at_least_one,
        "share_digit": sums["digit"] / at_least_one,
        "numbers": np.log1p(sums["digit"]),
        "share_stop": sums["stop"] / at_least_one,
        "share_marks": 1 - words / count,
        "share_pronoun": sums["pronoun"] / at_least_one,
        "has_pronoun": sums["pronoun"] > 0,
        "share_comma": sums["comma"] / count,
        "share_bracket": sums["bracket"] / count,
        "share_other_mark": sums["mark"] / count,
        "has_colon": sums["colon"] > 0,
        "has_question": sums["question"] > 0,
        "has_quote": sums["quote_open"] + sums["quote_close"] + sums["quote_either"] > 0,
        "opens_small": opening["word"] & ~opening["title"],
        "opens_opener": opening["opener"],
        "opens_pronoun": opening["pronoun"],
        "opens_stop": opening["stop"],
        "opens_digit": first["digit"],
        "opens_quote": first["quote_open"] | first["quote_either"],
        "opens_mark": ~first["word"],
        "then_opener": second["opener"],
        "ends_closed": last["close"],
        "ends_quote": last["quote_close"] | last["quote_either"],
        "ends_colon": last["colon"],
        "ends_word": last["word"],
        "ends_bracket": last["bracket"],
    }
    small = opening["word"] & ~opening["title"]
    sums |= {"closed": last["close"].astype(float), "small": small.astype(float), "sizes": sizes}
    return columns, sums


def _counted(tokens: Tokens) -> NDArray[np.float64]:
    """Return how many tokens of each kind a sentence has, [n, 16], for some sentences at a time."""
    count = len(tokens.starts)
    counts = np.empty((count, len(FLAGS)))
    for first in range(0, count, _AT_ONCE):
        part = tokens.part(first, min(first + _AT_ONCE, count))
        np.add.reduceat(
            unpacked(part.flags), part.starts, axis=0, dtype=np.float64, out=counts[first : first + _AT_ONCE]
        )
    return counts


def _content(document: "Document", terms: TokenTerms) -> Columns:
    """Return how many of the content words of a sentence the text has elsewhere, and where."""
    count, (sentence, term, size) = len(document), terms
    often = np.bincount(term, minlength=size)
    lengths = np.bincount(sentence, minlength=count)
    divisor = np.maximum(lengths, 1)

    def mean(weights: NDArray[np.generic]) -> NDArray[np.float64]:
        return np.bincount(sentence, weights, minlength=count) / divisor

    first, last = np.full(size, count), np.full(size, -1)
    first[term[::-1]], last[term] = sentence[::-1], sentence  # pairs ascend, so the last to be written stays
    repeated = np.bincount(sentence, often[term] > 1, minlength=count)
    weight = np.bincount(sentence, np.log(often[term]), minlength=count)
    central = (
        np.bincount(sentence, often[term], minlength=count) / np.sqrt(divisor) / max(float(np.linalg.norm(often)), 1.0)
    )
    body = [i for i, kind in enumerate(document.kinds) if kind not in NOISE and lengths[i] >= 3][:_OPENING]
    headings = [i for i, kind in enumerate(document.kinds) if kind == "heading"][:_HEADINGS]
    in_lead, in_opening, in_heading = (_said_in(terms, chosen, count) for chosen in (body[:1], body, headings))
    lead = mean(in_lead[term])
    lead[body[:1]] = 0.5
    pairs = sentence * size + term
    before, after = (_among(pairs + step, pairs) for step in (-size, size))
    return {
        "said_before": mean(first[term] < sentence),
        "said_later": mean(last[term] > sentence),
        "said_once": mean(often[term] == 1),
        "said_often": mean(np.log(often[term])),
        "repeated": np.log1p(repeated),
        "repeated_score": _standard(repeated),
        "weight": np.log1p(weight),
        "weight_score": _standard(weight),
        "weight_rank": _rank(weight),
        "central": central,
        "central_score": _standard(central),
        "central_rank": _rank(central),
        "terms": np.log1p(lengths),
        "in_lead": lead,
        "in_opening": mean(in_opening[term]) / _OPENING,
        "in_heading": mean(in_heading[term] > 0),
        "with_previous": mean(before),
        "with_next": mean(after),
    }


def _among(numbers: NDArray[np.int64], ascending: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which numbers are among the ascending ones."""
    if not len(ascending):
        return np.zeros(0, bool)
    places = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    hits: NDArray[np.bool_] = ascending[places] == numbers
    return hits


def _said_in(terms: TokenTerms, sentences: list[int], count: int) -> NDArray[np.float64]:
    """Return how many of the given sentences have each term."""
    chosen = np.zeros(count, bool)
    chosen[sentences] = True
    return np.bincount(terms.term[chosen[terms.sentence]], minlength=terms.size).astype(np.float64)


def _talk(document: "Document") -> Columns:
    speakers = document.speakers
    goes_on = [bool(speaker) and speaker == before for before, speaker in pairwise(speakers)]
    return {
        "same_speaker": np.array([False, *goes_on]),
        "in_section": np.array([bool(role) for role in document.roles]),
    }


def _profile(
    document: "Document",
    sums: dict[str, NDArray[np.float64]],
    quoted: Columns,
    lines: NDArray[np.bool_],
) -> Columns:
    """Return what the document is like, the same for all of its sentences."""
    words = max(float(sums["word"].sum()), 1.0)
    return {
        "count": np.log(len(document)),
        "blocks": np.log1p(document.block_numbers[-1]),
        "sections": np.log1p(document.sections[-1].section),
        "turns": document.kinds.count("turn") / len(document),
        "speakers": np.log1p(len(set(document.speakers))),
        "dense": float(pack(document.language).dense),
        "mean_size": float(sums["sizes"].mean()),
        "mean_lines": float(lines.mean()),
        "mean_quoted": float((np.asarray(quoted["share_quoted"]) > 0).mean()),
        "mean_question": float((sums["question"] > 0).mean()),
        "mean_closed": float(sums["closed"].mean()),
        "mean_small": float(sums["small"].mean()),
        **{f"mean_{name}": float(sums[name].sum()) / words for name in ("title", "digit", "pronoun", "stop")},
    }


def _standard(values: NDArray[np.generic]) -> NDArray[np.float64]:
    numbers = values - np.add.reduce(values) / len(values)
    spread = sqrt(numbers @ numbers / len(numbers))
    return numbers / spread if spread > 1e-9 else np.zeros(len(numbers))


def _rank(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Return the share of sentences with a greater value; equal ones are ranked by place."""
    ranks = np.empty(len(values))
    ranks[np.argsort(-values.astype(np.float64), kind="stable")] = np.arange(len(values))
    return ranks / max(len(values) - 1, 1)
