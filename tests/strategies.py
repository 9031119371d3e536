"""Generated texts: arbitrary Unicode, and prose-like mixtures that have many sentences."""

from hypothesis import strategies as st

_WORDS = [
    "rain",
    "river",
    "The",
    "a",
    "Mr.",
    "3.5",
    "naïve",
    "“so”",
    "end.Next",
    "😀",
    "天气",
    "很好",
    "`",
    "'",
    "U.S.",
    "e\u0301",
]
_ENDS = [". ", "! ", "? ", "。", "！", "\n", "\n\n", "……", "; ", ".", " - "]

prose = st.lists(st.tuples(st.lists(st.sampled_from(_WORDS), max_size=6), st.sampled_from(_ENDS)), max_size=14).map(
    lambda parts: "".join(" ".join(words) + end for words, end in parts)
)
# All of Unicode, lone surrogates and control characters among it.
anything = st.text(st.characters(exclude_categories=()), max_size=120)
texts = st.one_of(prose, anything)
