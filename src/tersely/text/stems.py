"""One form for a word in all its forms: flooded and flooding are both flood."""

from collections.abc import Sequence

from tersely.text.language import Language


def stems(words: Sequence[str], language: Language) -> list[str]:
    """Return the stem of each word; only English words are changed.

    >>> stems(["rivers", "flooding"], "en")
    ['river', 'flood']
    """
    if language != "en":
        return list(words)
    from Stemmer import Stemmer

    # A stemmer is cheap to make and must not be shared between threads.
    found: list[str] = Stemmer("english").stemWords(list(words))
    return found
