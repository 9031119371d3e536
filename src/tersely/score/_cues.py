"""How a sentence is worded: like those that carry what their text is about, or like those that only accompany it.

Two tables say so. One is written by hand: phrases that announce a finding, a decision, a request or a result, and
phrases that announce an example, a figure or a formality. The other is learned without labels (`tersely train cues`):
which words and pairs of words occur in the sentences that cover their text best, whatever the text is about.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from importlib.resources import files
from itertools import pairwise, product, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tersely.text.document import Document
from tersely.text.language import Language

# How much one phrase of the table by hand counts, on the scale of logarithms; at most two of each kind count.
_PHRASE, _MOST = 0.4, 2
# Whatever is said before and after the first word is a feature too: "^ he" is a sentence that begins with "he".
_START = "^"
_MARKS = '"“”?%$£€:;('

ABSTRACT = 20  # An abstract has at most so many sentences.
_QUOTE = frozenset('"“')
_CLOSING, _ASKS = "\"'”’」』）)", ("?", "？", "؟")
_BATCH = 2048  # sentences that are looked at together

_ITSELF = "paper study article work report thesis review survey investigation proposal memo".split()
_FINDS = """propose present introduce describe develop show demonstrate find found report investigate study examine
    analyze argue conclude suggest evaluate explore address provide establish prove achieve outperform observe extend
    design formalize compare identify reveal recommend encourage expect anticipate announce decided agreed plan hold
    proposed presented introduced described developed showed demonstrated reported investigated studied examined
    analyzed concluded evaluated explored identified compared observed""".split()
_RESULTS = "result results finding findings experiment experiments evidence data analysis".split()
_SHOW = "show suggest indicate demonstrate reveal confirm support shows suggests showed suggested indicated".split()
_RULES = "held holds hold ruled ruling decided agreed ordered concluded found".split()
_CASES = "dismissed allowed granted denied rejected refused quashed upheld".split()


def _pairs(first: Iterable[str], second: Iterable[str]) -> Iterator[str]:
    return (f"{one} {two}" for one, two in product(first, second))


_SAYS = frozenset(
    (
        *_pairs(("this", "present", "our", "current"), _ITSELF),
        *_pairs(("we", "i"), _FINDS),
        *_pairs(("also", "further"), _FINDS[:20]),
        *_pairs(_RESULTS, _SHOW),
        *_pairs(("our", "these"), _RESULTS),
        *_pairs(_RULES, ("that", "to")),
        *_pairs(("is", "are", "was", "were", "be", "therefore", "accordingly"), _CASES),
        *_pairs(("dismiss", "allow"), ("the", "this")),
        *("in conclusion", "to conclude", "in summary", "to summarize", "set aside", "question whether"),
        *("please", "would like", "you should", "now expect", "guidance", "outlook", "issue is"),
    )
)
_RESEARCH = frozenset(
    (
        *_pairs(("this", "our", "present"), ("paper", "study", "article", "work", "thesis", "approach", "method")),
        *_pairs(("our",), ("model", "results", "experiments", "findings", "algorithm", "analysis")),
        *_pairs(("we",), _FINDS[:16]),
    )
)
# How research speaks of itself in other languages, in lowercase.
_RESEARCH_ELSEWHERE: dict[Language, str] = {
    "de": (
        "in dieser arbeit|in diesem beitrag|in diesem artikel|in dieser studie|die vorliegende arbeit|"
        "die vorliegende studie|wir untersuchen|wir zeigen|wir stellen vor"
    ),
    "fr": (
        "cet article|cette étude|cette recherche|le présent article|le présent travail|nous proposons|"
        "nous montrons|nous étudions|nos résultats"
    ),
    "es": (
        "este artículo|este trabajo|este estudio|el presente artículo|el presente trabajo|"
        "el presente estudio|nuestros resultados|proponemos"
    ),
    "it": (
        "questo articolo|questo lavoro|questo studio|il presente lavoro|il presente studio|"
        "i nostri risultati|proponiamo"
    ),
    "pt": (
        "este artigo|este trabalho|este estudo|o presente artigo|o presente trabalho|o presente estudo|"
        "nossos resultados|propomos"
    ),
    "nl": "in dit artikel|in deze studie|dit onderzoek|onze resultaten|wij onderzoeken",
    "ru": (
        "в статье|в работе|в данной работе|в настоящей работе|в настоящей статье|целью исследования|"
        "цель исследования|цель работы|результаты исследования|нами исследован|авторами предложен|"
        "рассматривается вопрос"
    ),
    "tr": "bu çalışmada|bu makalede|bu araştırmada|çalışmanın amacı|bu çalışmanın|araştırmanın amacı",
    "ar": "هذه الدراسة|هذا البحث|تهدف الدراسة|يهدف البحث|هذه الورقة",
    "id": "penelitian ini|artikel ini|tujuan penelitian|hasil penelitian ini|makalah ini",
    "vi": "nghiên cứu này|bài báo này|mục tiêu nghiên cứu|bài viết này trình bày",
    "zh": "本文提出|本文研究|本文以|本文对|本文通过|本研究|实验结果表明|研究结果表明|结果表明|本文首先",
    "ja": "本研究|本論文|本稿",
    "ko": "본 연구|본 논문|이 연구는|이 논문",
    "hi": "इस अध्ययन|इस शोध|प्रस्तुत अध्ययन",
}
_ACCOMPANIES = frozenset(
    (
        *_pairs(("figure", "fig", "table", "section", "eq"), ("#",)),
        *_pairs(("thank", "thanks"), ("you", "for", "to")),
        *_pairs(("previous", "prior", "earlier", "existing", "related"), ("work", "studies", "research", "approaches")),
        *_pairs(("has", "have"), ("traditionally", "recently")),
        *("for example", "for instance", "e g", "i e", "et al", "see fig", "see also", "as follows", "rest of"),
        *("recent years", "good morning", "good afternoon", "welcome to", "forward looking", "safe harbor"),
        *("let me", "me know", "feel free", "any questions", "thought that"),
        *("non gaap", "before we", "will discuss", "will now", "turn to", "turn it", "traditionally"),
    )
)
_PERSON = frozenset("i we you our us my your me i'm i'll we're we've we'll you're".split())
_PARTIES = frozenset(
    """appellant appellants respondent respondents petitioner petitioners plaintiff plaintiffs claimant claimants
    defendant defendants tribunal appeal court""".split()
)
_FIGURES = frozenset(("%", "$", "£", "€", "percent", "million", "billion"))
_MOVES = frozenset(
    """grew rose increased increase decreased decrease fell declined up down growth record earned earnings revenue
    revenues sales profit loss improved gained""".split()
)


# The phrases and words that are counted in English sentences, besides those with a learned weight.
_KINDS = {
    "says": _SAYS,
    "accompanies": _ACCOMPANIES,
    "figures": _FIGURES,
    "moves": _MOVES,
    "research": _RESEARCH,
    "person": _PERSON,
    "parties": _PARTIES,
}


class _Table(NamedTuple):
    """The features that count, numbered: words, pairs by the numbers of their two words, and marks."""

    names: list[str]
    rows: dict[str, int]  # of the words of all these
    words: NDArray[np.intp]  # [row, 3]: the number of the word itself, and as first and second of a pair, or -1
    start: int  # as first of a pair
    pairs: NDArray[np.intp]  # [first, second], the last of each for all other words; -1 is no feature
    marks: dict[str, int]
    counts: dict[str, NDArray[np.float64]]  # for each feature, the learned weight in hundredths, and whether it is ...


@cache
def _table(language: Language) -> _Table:
    """Return the features that count in a language."""
    learned, kinds = load_cues().get(language, {}), _KINDS if language == "en" else {}
    names = sorted(frozenset(learned).union(*kinds.values()))
    number = {name: i for i, name in enumerate(names)}
    split = [(name, *name.split(" ")) for name in names if " " in name]
    firsts, seconds = (
        {word: i for i, word in enumerate(sorted({_START, *(pair[place] for pair in split)}))} for place in (1, 2)
    )
    pairs = np.full((len(firsts) + 1, len(seconds) + 1), -1)
    for name, first, second in split:
        pairs[firsts[first], seconds[second]] = number[name]
    words = {name: i for name, i in number.items() if " " not in name and name not in _MARKS}
    rows = {word: i for i, word in enumerate({**words, **firsts, **seconds})}
    weights = {"learned": np.array([learned.get(name, 0) for name in names], np.float64)}
    return _Table(
        names=names,
        rows=rows,
        words=np.array([[known.get(word, -1) for known in (words, firsts, seconds)] for word in (*rows, "")]),
        start=firsts[_START],
        pairs=pairs,
        marks={mark: number[mark] for mark in _MARKS if mark in number},
        counts=weights | {kind: np.array([name in own for name in names], np.float64) for kind, own in kinds.items()},
    )


def seen(document: Document) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
    """Yield those of the `features` of sentences that count, for many sentences at a time.

    They come as the number of sentences, and, for each feature of each sentence, the sentence and the feature.
    """
    table, words = _table(document.language), document.numbered
    plain = ["#" if word.isdigit() else word for word in words.vocabulary]
    single, first, second = table.words[np.fromiter(map(table.rows.get, plain, repeat(-1)), np.intp, len(plain))].T
    present = {mark: number for mark, number in table.marks.items() if mark in document.text}
    size = max(len(table.names), 1)
    for start in range(0, len(document), _BATCH):
        texts = document.texts[start : start + _BATCH]
        part = slice(*np.searchsorted(words.sentence, (start, start + _BATCH)))
        said, sentence = words.words[part], words.sentence[part] - start
        before = np.append(table.start, first[said[:-1]])
        before[1:][sentence[1:] > sentence[:-1]] = table.start
        marked = [np.flatnonzero([mark in text for text in texts]) for mark in present]
        marks = [np.full(len(own), mark) for mark, own in zip(present.values(), marked, strict=True)]
        feature = np.concatenate([single[said], table.pairs[before, second[said]], *marks])
        keys = np.sort((np.concatenate([sentence, sentence, *marked]) * size + feature)[feature >= 0])
        yield len(texts), *np.divmod(keys[np.append(True, keys[1:] > keys[:-1])[: len(keys)]], size)


class Wording:
    """How the sentences of a document are worded, and what that says about the document."""

    def __init__(self, document: Document) -> None:
        self._document, counts = document, _table(document.language).counts
        rows = [
            [np.bincount(sentence, own[feature], minlength=count) for own in counts.values()]
            for count, sentence, feature in seen(document)
        ]
        columns = np.concatenate(rows, axis=1) if rows else np.empty((len(counts), 0))
        self._counts: dict[str, NDArray[np.float64]] = dict(zip(counts, columns, strict=True))

    @cached_property
    def cues(self) -> NDArray[np.float64]:
        """For each sentence a logarithm: above 0 if it is worded like what matters, below 0 if not.

        >>> text = "Parsing is hard. In this paper, we propose a parser. For example, see Figure 2. It has been tried."
        >>> int(np.argmax(Wording(Document.from_text(text)).cues))
        1
        """
        document, counts = self._document, self._counts
        found: NDArray[np.float64] = counts["learned"] / 100
        if document.language == "en":
            says = counts["says"] + ((counts["figures"] > 0) & (counts["moves"] > 0))
            found += _PHRASE * (np.minimum(says, _MOST) - np.minimum(counts["accompanies"], _MOST))
        if not self.is_message:  # the answer to a question says more than the question
            found[[text.rstrip(_CLOSING).endswith(_ASKS) for text in document.texts]] -= _PHRASE
        return found - found.mean() if len(found) else found

    @property
    def is_research(self) -> bool:
        """Whether a text speaks of itself as research does: "this paper", "we propose", "our results".

        In an abstract, once is enough, unless somebody is quoted.
        """
        document, says = self._document, self._having("research").tolist()
        if document.language in _RESEARCH_ELSEWHERE:
            itself = len(re.findall(_RESEARCH_ELSEWHERE[document.language], document.text.lower()))
            return itself > len(document) // ABSTRACT
        if len(document) > ABSTRACT:
            return document.language == "en" and len(says) >= 0.12 * len(document)
        return any(_QUOTE.isdisjoint(document.texts[i]) for i in says)

    @property
    def is_judgment(self) -> bool:
        """Whether a text speaks of parties and courts as a judgment does."""
        return len(self._having("parties")) > 0.1 * len(self._document)

    @property
    def is_message(self) -> bool:
        """Whether a text is short and speaks to somebody: what it asks is what it is about."""
        return len(self._document) <= ABSTRACT and self.is_spoken

    @property
    def is_spoken(self) -> bool:
        """Whether more than half of the sentences say I, we or you: somebody speaks."""
        return 2 * len(self._having("person")) > len(self._document)

    def _having(self, kind: str) -> NDArray[np.intp]:
        """Return the sentences that have something of a kind; none if the language is not English."""
        return np.flatnonzero(self._counts.get(kind, ()))


def features(words: Sequence[str], text: str, language: Language) -> set[str]:
    """Return the words, pairs of words and marks of a sentence, given its words in lowercase; digits become "#".

    In Chinese, the words are pairs of characters already.
    """
    plain = ["#" if word.isdigit() else word for word in words]
    found = set(plain)
    if plain:
        found.add(f"{_START} {plain[0]}")
    if language != "zh":
        found.update(map(" ".join, pairwise(plain)))
    found.update(mark for mark in _MARKS if mark in text)
    return found


@cache
def load_cues() -> dict[str, dict[str, int]]:
    """Return the learned weights of each language, in hundredths."""
    stored: dict[str, dict[str, int]] = json.loads(files(__package__).joinpath("cues.json").read_text("utf-8"))["cues"]
    return stored
