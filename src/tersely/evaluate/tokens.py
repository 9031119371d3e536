"""How ROUGE sees a text: English words, stemmed or not; Chinese by characters or by words."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

from tersely.errors import MissingExtraError
from tersely.text import Language

Tokens = list[str]


@dataclass(frozen=True)
class Tokenization:
    """The settings that change a ROUGE score; printed with every table."""

    stem: bool = True
    chinese: Literal["chars", "words"] = "chars"

    def __str__(self) -> str:
        stemmed = "stemmed" if self.stem else "not stemmed"
        return f"words {stemmed} (rouge-score's tokenizer); Chinese by {self.chinese}"

    def tokens(self, sentence: str, language: Language) -> Tokens:
        """Return the tokens of one sentence."""
        if language == "zh":
            return _characters(sentence) if self.chinese == "chars" else _chinese_words(sentence)
        if language == "en":
            return _english(sentence, self.stem)
        # rouge-score keeps a to z only, which would lose most of another language.
        return sentence.lower().split()


def _characters(sentence: str) -> Tokens:
    return [character for character in sentence.lower() if not character.isspace()]


def _chinese_words(sentence: str) -> Tokens:
    try:
        import rjieba
    except ImportError:
        raise MissingExtraError("cutting Chinese into words", "eval") from None
    return [word for word in rjieba.cut(sentence.lower()) if not word.isspace()]


def _english(sentence: str, stem: bool) -> Tokens:
    words = _splitter()(sentence)
    return [_stem(word) for word in words] if stem else words


@cache
def _splitter() -> Callable[[str], Tokens]:
    try:
        from rouge_score.tokenize import tokenize
    except ImportError:
        raise MissingExtraError("ROUGE", "eval") from None
    return lambda sentence: list(tokenize(sentence, None))


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    # rouge-score stems words of more than three letters; a word is stemmed once, which is most of its time saved.
    return str(_stemmer().stem(word)) if len(word) > 3 else word


@cache
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()
