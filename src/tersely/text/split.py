"""Where the sentences of a text begin and end."""

from tersely.text.language import Language

# Enough to tell whether a text has capitals.
_SAMPLE = 100_000


def split_sentences(text: str, language: Language) -> list[tuple[int, int]]:
    """Return the spans of the sentences of `text`, trimmed of white space, in order.

    Every character but white space is in exactly one span. Any string will do, in linear time.

    >>> text = "Mr. Smith left at 5 p.m. Monday. Why?"
    >>> [text[start:end] for start, end in split_sentences(text, "en")]
    ['Mr. Smith left at 5 p.m. Monday.', 'Why?']
    """
    # Compiling their patterns takes some 20 ms, which `import tersely` need not pay.
    from tersely.text.split_block import split_block
    from tersely.text.split_lines import blocks
    from tersely.text.split_marks import Scanner

    scanner = Scanner(text, uncased=_is_uncased(text[:_SAMPLE]), ordinals=language == "other")
    spans: list[tuple[int, int]] = []
    for start, end in blocks(text, language):
        spans += split_block(text, start, end, scanner)
    return spans


def _is_uncased(sample: str) -> bool:
    """Tell whether a text hardly has capitals, so that a sentence may begin without one."""
    capitals = sum(map(str.isupper, sample))
    return capitals * 500 < len(sample) and sample != sample.upper()
