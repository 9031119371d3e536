"""Where the sentences of a text begin and end."""

from tersely.text.language import Language


def split_sentences(text: str, language: Language) -> list[tuple[int, int]]:
    """Return the spans of the sentences of `text`, trimmed of white space, in order."""
    import sentencex

    spans, at = [], 0
    for piece in sentencex.segment("zh" if language == "zh" else "en", text):
        start = text.index(piece, at)
        at = start + len(piece)
        body = piece.strip()
        if body:
            begin = start + piece.index(body)
            spans.append((begin, begin + len(body)))
    return spans
