"""Counting the tokens of a language model's tokenizer."""

from functools import lru_cache
from pathlib import Path

from tersely.errors import MissingExtraError, ModelError
from tersely.text.length import TokenCounter


@lru_cache(maxsize=4)
def load_token_counter(path: str) -> TokenCounter:
    """Return a function that counts tokens by the Hugging Face `tokenizer.json` at `path` (or in that folder).

    Special tokens, those that a model adds around its input, are not counted.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtraError("counting tokens", "tokens") from None
    file = Path(path) / "tokenizer.json" if Path(path).is_dir() else Path(path)
    if not file.is_file():
        raise ModelError(f"no tokenizer at {file}: give the path of a tokenizer.json")
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises plain Exception for every kind of broken file
        raise ModelError(f"{file} is not a tokenizer.json: {error}") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def count(text: str) -> int:
        # A lone surrogate cannot be encoded; it is replaced as a tokenizer's own decoder would show it.
        clean = text.encode("utf-8", "replace").decode("utf-8")
        return len(tokenizer.encode(clean, add_special_tokens=False).ids)

    return count
