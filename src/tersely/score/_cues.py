"""How a sentence is worded: like those that carry what their text is about, or like those that only accompany it.

Two tables say so. One is written by hand: phrases that announce a finding, a decision, a request or a result, and
phrases that announce an example, a figure or a formality. The other is learned without labels (`tersely train cues`):
which words and pairs of words occur in the sentences that cover their text best, whatever the text is about.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
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
_ITS_FIRST = frozenset(phrase.split()[0] for phrase in _RESEARCH)
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


def cues(document: Document) -> NDArray[np.float64]:
    """Return for each sentence a logarithm: above 0 if it is worded like what matters, below 0 if not.

    >>> text = "Parsing is hard. In this paper, we propose a parser. For example, see Figure 2. It has been tried."
    >>> int(np.argmax(cues(Document.from_text(text))))
    1
    """
    learned, names = load_cues().get(document.language, {}), _names(document.language)
    found = np.zeros(len(document))
    by_hand, asks = document.language == "en", is_message(document)
    for number, (words, text) in enumerate(zip(document.words, document.texts, strict=True)):
        seen = names.seen(words, text)
        if learned:
            found[number] = sum(map(learned.get, seen, repeat(0))) / 100
        if by_hand:
            says = len(seen & _SAYS) + (not seen.isdisjoint(_FIGURES) and not seen.isdisjoint(_MOVES))
            found[number] += _PHRASE * (min(says, _MOST) - min(len(seen & _ACCOMPANIES), _MOST))
        if not asks and text.rstrip("\"'”’」』）)").endswith(("?", "？", "؟")):  # its answer says more
            found[number] -= _PHRASE
    return found - found.mean() if len(found) else found


class _Names(NamedTuple):
    """The features that a table has: all of them, the second words of pairs by the first ones, and marks."""

    names: frozenset[str]
    pairs: dict[str, set[str]]
    marks: str

    def seen(self, words: Sequence[str], text: str) -> set[str]:
        """Return those of the `features` of a sentence that the table has."""
        plain = ["#" if word.isdigit() else word for word in words]
        found = set(self.names.intersection(plain))
        if plain and (start := f"{_START} {plain[0]}") in self.names:
            found.add(start)
        pairs = self.pairs
        found.update([f"{one} {two}" for one, two in pairwise(plain) if one in pairs and two in pairs[one]])
        found.update([mark for mark in self.marks if mark in text])
        return found


@cache
def _names(language: Language) -> _Names:
    """Return the features that count in a language."""
    names = frozenset(load_cues().get(language, {}))
    if language == "en":
        names |= _SAYS | _ACCOMPANIES | _FIGURES | _MOVES
    pairs: dict[str, set[str]] = {}
    for first, _, second in (name.partition(" ") for name in names):
        if second:
            pairs.setdefault(first, set()).add(second)
    return _Names(names, pairs, "".join(mark for mark in _MARKS if mark in names))


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


def is_research(document: Document) -> bool:
    """Tell whether a text speaks of itself as research does: "this paper", "we propose", "our results".

    In an abstract, once is enough, unless somebody is quoted.
    """
    if document.language in _RESEARCH_ELSEWHERE:
        itself = len(re.findall(_RESEARCH_ELSEWHERE[document.language], document.text.lower()))
        return itself > len(document) // ABSTRACT
    if document.language != "en":
        return False
    says = [
        not (_ITS_FIRST.isdisjoint(words) or _RESEARCH.isdisjoint(map(" ".join, pairwise(words))))
        for words in document.words
    ]
    if len(document) > ABSTRACT:
        return sum(says) >= 0.12 * len(document)
    return any(one and not _QUOTE & set(text) for one, text in zip(says, document.texts, strict=True))


def is_judgment(document: Document) -> bool:
    """Tell whether a text speaks of parties and courts as a judgment does."""
    if document.language != "en":
        return False
    return sum(not _PARTIES.isdisjoint(words) for words in document.words) > 0.1 * len(document)


def is_message(document: Document) -> bool:
    """Tell whether a text is short and speaks to somebody: what it asks is what it is about."""
    return len(document) <= ABSTRACT and is_spoken(document)


def is_spoken(document: Document) -> bool:
    """Tell whether more than half of the sentences say I, we or you: somebody speaks."""
    if document.language != "en":
        return False
    return 2 * sum(not _PERSON.isdisjoint(words) for words in document.words) > len(document)
