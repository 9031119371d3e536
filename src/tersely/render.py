"""A summary as a page or as Markdown."""

import re
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tersely.summary import Summary

_PAGE = """<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark }}
body {{ font: 1.05rem/1.6 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem }}
article {{ white-space: pre-wrap; overflow-wrap: anywhere }}
mark {{ background: #ffe08a; color: #1a1a1a; border-radius: .2em; padding: .05em .1em }}
footer {{ margin-top: 2rem; opacity: .7; font-size: .85rem }}
</style>
<article>{body}</article>
<footer>{title}</footer>
</html>
"""

_MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def html(summary: "Summary") -> str:
    """Return the source as a page, the chosen sentences marked; every character of it is escaped."""
    source, parts, at = summary.source, [], 0
    for sentence in sorted(summary.sentences, key=lambda s: s.start):
        parts.append(escape(source[at : sentence.start]))
        parts.append(f'<mark title="{sentence.score:.4g}">{escape(sentence.text)}</mark>')
        at = sentence.end
    parts.append(escape(source[at:]))
    language = {"en": "en", "zh": "zh"}.get(summary.language, "")
    return _PAGE.format(language=language, title=escape(summary.explain()), body="".join(parts))


def markdown(summary: "Summary") -> str:
    """Return a list of the chosen sentences, their own mark-up escaped, and a line on the length."""
    items = (_MARKDOWN_SPECIAL.sub(r"\\\1", " ".join(s.text.split())) for s in summary.sentences)
    listed = "".join(f"- {item}\n" for item in items)
    return f"{listed}\n*{summary.explain()}*\n" if listed else f"*{summary.explain()}*\n"
