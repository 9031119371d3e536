"""What may go into a tokenizer: text of bounded length that UTF-8 can hold."""


def clean(sentence: str, limit: int) -> str:
    """Return the first `limit` characters, with U+FFFD for each surrogate that has no partner.

    The C++ and Rust tokenizers refuse lone surrogates, which Python reads happily out of broken JSON.

    >>> clean("a\\ud800bcd", 3)
    'a�b'
    """
    clipped = sentence[:limit]
    try:
        clipped.encode()
    except UnicodeEncodeError:
        return clipped.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return clipped
