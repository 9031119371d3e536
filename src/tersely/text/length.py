"""Measures a text in every unit that a budget may use."""

from collections.abc import Callable
from functools import lru_cache, partial
from math import ceil
from numbers import Real
from pathlib import Path
from reprlib import repr as shortened
from typing import cast

from tersely.errors import MissingExtraError, ModelError, UsageError
from tersely.languages import HAN, KANA, pattern
from tersely.options import LARGEST, Unit

TokenCounter = Callable[[str], int]
Tokenizer = str | Path | TokenCounter

# Scripts without spaces, in which each character counts.
_DENSE = pattern(f"[{HAN}{KANA}]")
_BETWEEN = pattern(rf"[^\s{HAN}{KANA}]+")
_BARRIER = pattern(rf"[\s{HAN}{KANA}]")
_LETTER = pattern(r"[^\W_]")
_LETTER_OR_DENSE = pattern(rf"[^\W_]|[{HAN}{KANA}]")


def count_words(text: str) -> int:
    """Count words as `wc -w` does: a word is what stands between white space, even a lone dash.

    In Chinese and Japanese, where words are not set apart, each character counts, and so does each word in another
    script among them, but no mark. So the count is never less than that of `wc -w`.

    >>> count_words("It's 5 o'clock - at last!"), count_words("我有3只cat。")
    (6, 5)
    """
    if text.isascii() or not (dense := len(_DENSE.findall(text))):
        return len(text.split())
    foreign = sum(map(bool, map(_LETTER.search, _BETWEEN.findall(text))))
    marks = sum(not _LETTER_OR_DENSE.search(run) for run in text.split())
    return dense + foreign + marks


def last_word(text: str) -> str:
    """Return what matters of the end of a text for counting the words of a longer one.

    >>> last_word("Rain fell on Rome"), last_word("Rain. --"), last_word("雨")
    (' a', ' -', '雨')
    """
    start = max((match.start() for match in _BARRIER.finditer(text)), default=-1)
    return (text[start] if start >= 0 else "") + _shape(text[start + 1 :])


def first_word(text: str) -> str:
    """Return what matters of the start of a text for counting the words of a longer one.

    >>> first_word("Rain fell on Rome"), first_word("-- rain"), first_word("雨")
    ('a ', '- ', '雨')
    """
    barrier = _BARRIER.search(text)
    return _shape(text) if barrier is None else _shape(text[: barrier.start()]) + barrier[0]


def _shape(run: str) -> str:
    """Return the shortest run of characters that counts like this one."""
    return run and ("a" if _LETTER.search(run) else "-")


def measure(text: str, unit: Unit, tokens: TokenCounter | None = None) -> int:
    """Return the length of `text` in `unit`; the unit `tokens` needs a function that counts them.

    >>> measure("naïve", "chars"), measure("naïve", "bytes")
    (5, 6)
    """
    return measurer(unit, tokens)(text)


def measurer(unit: Unit, tokens: TokenCounter | None = None) -> Callable[[str], int]:
    """Return the function that measures texts in `unit`."""
    if unit == "chars":
        return len
    if unit == "words":
        return count_words
    if unit == "bytes":
        return lambda text: len(text.encode("utf-8", "surrogatepass"))
    if unit == "sentences":
        return lambda text: 1 if text else 0
    if tokens is None:
        raise ValueError("a length in tokens needs a tokenizer")
    return tokens


def token_counter(tokenizer: Tokenizer | None) -> TokenCounter:
    """Return the function that counts tokens: the one given, or that of a `tokenizer.json` or a tiktoken encoding."""
    if isinstance(tokenizer, str | Path):
        return load_token_counter(str(tokenizer))
    if not callable(tokenizer):
        raise UsageError(
            "a budget in tokens needs a tokenizer: give the name of a model such as gpt-4o, the path of a "
            "tokenizer.json, which most models on huggingface.co have, or in Python a function that counts"
        )
    return partial(_tokens, tokenizer)


def _tokens(tokenizer: TokenCounter, text: str) -> int:
    """Return how many tokens a caller's function counts; a part of one is one."""
    number: object = tokenizer(text)
    if isinstance(number, bool) or not isinstance(number, Real) or not 0 <= cast(float, number) <= LARGEST:
        raise UsageError(f"the tokenizer must return a number from 0 to {LARGEST:,}, not {shortened(number)}")
    return ceil(cast(float, number))


@lru_cache(maxsize=4)
def load_token_counter(tokenizer: str) -> TokenCounter:
    """Return a function that counts tokens with a `tokenizer.json`, given its path or its folder's, or with tiktoken.

    What is no file is the name of a model that tiktoken knows, such as `gpt-4o`, or of an encoding, such as
    `o200k_base`. Special tokens, which a model adds around its input, are not counted.
    """
    place = Path(tokenizer)
    file = place / "tokenizer.json" if place.is_dir() else place
    if file.is_file():
        return _hugging_face(file)
    if place.suffix == ".json" or len(place.parts) != 1 or place.is_dir():
        raise ModelError(f"no tokenizer at {file}: {_ADVICE}")
    return _tiktoken(tokenizer)


_ADVICE = "download tokenizer.json from the model's files on huggingface.co, and give its path"


def _hugging_face(file: Path) -> TokenCounter:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtraError("counting tokens", "tokens") from None
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises plain Exception for every kind of broken file
        raise ModelError(f"{file} is not a tokenizer.json: {error}") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(_encodable(text), add_special_tokens=False).ids)


def _tiktoken(name: str) -> TokenCounter:
    try:
        import tiktoken
    except ImportError:
        advice = f"for models of OpenAI, pip install 'tersely[tiktoken]'; for others, {_ADVICE}"
        raise ModelError(f"no tokenizer at {name}: {advice}") from None
    try:
        encoding_name = tiktoken.encoding_name_for_model(name)
    except KeyError:
        encoding_name = name
    try:
        encoding = tiktoken.get_encoding(encoding_name)
    except ValueError:
        encodings = ", ".join(tiktoken.list_encoding_names())
        message = f"'{name}' is neither a file, nor a model or an encoding that tiktoken knows ({encodings})"
        raise ModelError(f"{message}: for other models, {_ADVICE}") from None
    except Exception as error:  # an encoding is downloaded when it is first used
        reason = f"tiktoken has to download it once, and that failed ({type(error).__name__})"
        raise ModelError(f"the encoding '{encoding_name}' cannot be loaded: {reason}") from None
    # In a text, what looks like a special token is plain text.
    return lambda text: len(encoding.encode_ordinary(_encodable(text)))


def _encodable(text: str) -> str:
    # A lone surrogate cannot be encoded, so it counts as a question mark.
    return text.encode("utf-8", "replace").decode("utf-8")
