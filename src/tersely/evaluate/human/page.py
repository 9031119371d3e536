"""The form's three files become one page that asks no other host for anything."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

_SLOT = re.compile(r"\{\{(\w+)\}\}")


def page(title: str, data: Mapping[str, Any]) -> str:
    """Return the page; its policy lets the browser run this one script and no other."""
    style, script = _file("form.css"), _file("form.js")
    slots = {
        "title": escape(title.encode("utf-8", "replace").decode()),
        "style": style,
        "style_hash": _hash(style),
        "script": script,
        "script_hash": _hash(script),
        "data": _json(data),
    }
    # One pass over the frame alone: a text that looks like a slot stays text.
    return _SLOT.sub(lambda slot: slots[slot[1]], _file("form.html"))


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _json(data: Mapping[str, Any]) -> str:
    # ASCII without any "<": nothing in a text can end the element it stands in, and every character arrives.
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
