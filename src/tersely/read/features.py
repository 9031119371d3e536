"""The features of each sentence, which the reader's network gets beside its tokens. Any language has them."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tersely.languages import pack
from tersely.read.tokens import (
    FEATURES,
    FLAGS,
    Columns,
    Extents,
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


def features_of(documents: Sequence["Document"], tokens: Tokens, terms: TokenTerms) -> Floats:
    """Return the features of each sentence, [n, f], of documents in one language; their names are `feature_names`."""
    matrix = np.empty((FEATURES, len(tokens.starts)), np.float32)
    rows = iter(matrix)
    for columns in _columns(documents, tokens, terms):
        for column in columns.values():
            next(rows)[:] = column
    return matrix.T


@cache
def feature_names() -> tuple[str, ...]:
    """Return the names of the features, in order."""
    from tersely.text.document import Document

    document = Document.from_text("One fish swims. Two fish do not.")
    tokens = tokens_of(document)
    return tuple(chain.from_iterable(_columns([document], tokens, terms_of(tokens))))


def _columns(documents: Sequence["Document"], tokens: Tokens, terms: TokenTerms) -> Iterator[Columns]:
    """Yield the features group by group, so that not all are in memory at once."""
    lines = np.concatenate(list(map(_line_starts, documents)))
    kinds = [kind for document in documents for kind in document.kinds]
    yield _place(documents, tokens.extents, kinds, lines)
    form, sums = _form(documents, tokens)
    yield form
    del form
    quoted = quotations(tokens, lines)
    yield quoted
    yield names_in(tokens)
    yield _content(kinds, tokens.extents, terms)
    yield _talk(documents)
    yield _profile(documents, tokens.extents, sums, quoted, lines)
    yield _one_hot("kind", KINDS, kinds)
    yield _one_hot("section", SECTIONS, [role for document in documents for role in document.roles])


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


def _place(
    documents: Sequence["Document"], extents: Extents, kinds: Sequence[str], lines: NDArray[np.bool_]
) -> Columns:
    count = extents.sizes[extents.document]
    every = np.arange(len(count))
    place = every - extents.first
    body = np.array([kind not in NOISE for kind in kinds])
    in_body, size = extents.before(body), np.maximum(extents.sums(body), 1)[extents.document]
    block = np.concatenate([document.block_numbers for document in documents])
    begins = (np.diff(block, prepend=-1) != 0) | (place == 0)
    number = begins.cumsum() - 1
    place_in_block, sizes = every - np.flatnonzero(begins)[number], np.bincount(number)[number]
    sections = np.concatenate([document.sections for document in documents])
    return {
        "place": np.log1p(place),
        "place_inverse": 1 / (1 + place),
        "place_share": place / np.maximum(count - 1, 1),
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


def _form(documents: Sequence["Document"], tokens: Tokens) -> tuple[Columns, dict[str, NDArray[np.float64]]]:
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
    scale = float(pack(documents[0].language).letters_per_character)
    lengths = np.array([len(text) for document in documents for text in document.voiced]) * scale
    sizes = np.log(np.maximum(lengths, 1.0))
    columns: Columns = {
        "size": sizes,
        "size_score": _standard(sizes, tokens.extents),
        "size_rank": _rank(lengths, tokens.extents),
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


def _content(kinds: Sequence[str], extents: Extents, terms: TokenTerms) -> Columns:
    """Return how many of the content words of a sentence its text has elsewhere, and where."""
    count, (sentence, term, size) = len(kinds), terms
    often = np.bincount(term, minlength=size)
    lengths = np.bincount(sentence, minlength=count)
    divisor = np.maximum(lengths, 1)

    def mean(weights: NDArray[np.generic]) -> NDArray[np.float64]:
        return np.bincount(sentence, weights, minlength=count) / divisor

    first, last = np.full(size, count), np.full(size, -1)
    first[term[::-1]], last[term] = sentence[::-1], sentence  # pairs ascend, so the last to be written stays
    repeated = np.bincount(sentence, often[term] > 1, minlength=count)
    weight = np.bincount(sentence, np.log(often[term]), minlength=count)
    norms = np.sqrt(np.bincount(extents.document[sentence], often[term], minlength=len(extents.sizes)))
    shared = np.bincount(sentence, often[term], minlength=count)
    central = shared / np.sqrt(divisor) / np.maximum(norms, 1.0)[extents.document]
    body = np.array([kind not in NOISE for kind in kinds]) & (lengths >= 3)
    heading = np.array([kind == "heading" for kind in kinds])
    leads = body & (extents.before(body) < 1)
    opens, heads = body & (extents.before(body) < _OPENING), heading & (extents.before(heading) < _HEADINGS)
    in_lead, in_opening, in_heading = (_said_in(terms, chosen) for chosen in (leads, opens, heads))
    lead = mean(in_lead[term])
    lead[leads] = 0.5
    pairs = sentence * size + term
    before, after = (_among(pairs + step, pairs) for step in (-size, size))
    return {
        "said_before": mean(first[term] < sentence),
        "said_later": mean(last[term] > sentence),
        "said_once": mean(often[term] == 1),
        "said_often": mean(np.log(often[term])),
        "repeated": np.log1p(repeated),
        "repeated_score": _standard(repeated, extents),
        "weight": np.log1p(weight),
        "weight_score": _standard(weight, extents),
        "weight_rank": _rank(weight, extents),
        "central": central,
        "central_score": _standard(central, extents),
        "central_rank": _rank(central, extents),
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


def _said_in(terms: TokenTerms, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return how many of the chosen sentences have each term."""
    return np.bincount(terms.term[chosen[terms.sentence]], minlength=terms.size).astype(np.float64)


def _talk(documents: Sequence["Document"]) -> Columns:
    pairs = (pair for document in documents for pair in pairwise(("", *document.speakers)))
    return {
        "same_speaker": np.array([bool(speaker) and speaker == before for before, speaker in pairs]),
        "in_section": np.array([bool(role) for document in documents for role in document.roles]),
    }


def _profile(
    documents: Sequence["Document"],
    extents: Extents,
    sums: dict[str, NDArray[np.float64]],
    quoted: Columns,
    lines: NDArray[np.bool_],
) -> Columns:
    """Return what each document is like, the same for all of its sentences."""
    counts, words = extents.sizes, np.maximum(extents.sums(sums["word"]), 1.0)
    figures = {
        "count": np.log(counts),
        "blocks": np.log1p([document.block_numbers[-1] for document in documents]),
        "sections": np.log1p([document.sections[-1].section for document in documents]),
        "turns": np.array([document.kinds.count("turn") for document in documents]) / counts,
        "speakers": np.log1p([len(set(document.speakers)) for document in documents]),
        "dense": np.full(len(counts), float(pack(documents[0].language).dense)),
        "mean_size": extents.sums(sums["sizes"]) / counts,
        "mean_lines": extents.sums(lines) / counts,
        "mean_quoted": extents.sums(np.asarray(quoted["share_quoted"]) > 0) / counts,
        "mean_question": extents.sums(sums["question"] > 0) / counts,
        "mean_closed": extents.sums(sums["closed"]) / counts,
        "mean_small": extents.sums(sums["small"]) / counts,
        **{f"mean_{name}": extents.sums(sums[name]) / words for name in ("title", "digit", "pronoun", "stop")},
    }
    return dict(zip(figures, np.array(list(figures.values()))[:, extents.document], strict=True))


def _standard(values: NDArray[np.float64] | NDArray[np.intp], extents: Extents) -> NDArray[np.float64]:
    """Return how many deviations each value is above the mean of its document."""
    numbers = values - (extents.sums(values) / extents.sizes)[extents.document]
    spread = np.sqrt(extents.sums(numbers * numbers) / extents.sizes)[extents.document]
    return np.where(spread > 1e-9, numbers / np.maximum(spread, 1e-9), 0.0)


def _rank(values: NDArray[np.generic], extents: Extents) -> NDArray[np.float64]:
    """Return the share of a document's sentences with a greater value; equal ones are ranked by place."""
    ranks = np.empty(len(values))
    ranks[np.lexsort((-values.astype(np.float64), extents.document))] = np.arange(len(values))
    return (ranks - extents.first) / np.maximum(extents.sizes - 1, 1)[extents.document]
