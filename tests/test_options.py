"""Budgets and options are declared once: every interface offers what the tables in `tersely.options` say."""

import inspect
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_overloads, get_type_hints

import click
import pytest

import tersely
from tersely import Summarizer, UsageError, summarize
from tersely.cli import cli
from tersely.options import BUDGETS, KEYWORDS, OPTIONS, READING, UNITS, OptionKeywords, Options, PlainUnit
from tersely.summarizer import Keywords
from tersely.text.length import measure

ROOT = Path(__file__).parents[1]
PAGE = Path(tersely.__file__).parent / "serve" / "page"


def test_every_budget_has_a_unit_and_every_unit_a_measure() -> None:
    assert list(BUDGETS) == [*(f"max_{unit}" for unit in UNITS), "ratio"]
    assert set(UNITS) - set(get_args(PlainUnit)) == {"tokens"}
    assert all(measure("Rain fell.", unit, lambda text: len(text.split())) > 0 for unit in UNITS)


def test_type_checkers_see_the_declared_keywords() -> None:
    assert list(OPTIONS) == [option.name for option in fields(Options)]
    written, declared = get_type_hints(OptionKeywords), get_type_hints(Options)
    assert list(written) == list(OPTIONS)
    assert {name for name in OPTIONS if written[name] != declared[name]} == {"include", "exclude", "keep"}
    assert get_type_hints(Keywords).keys() == OPTIONS.keys() | READING.keys()


@pytest.mark.parametrize("function", [summarize, Summarizer.summarize])
def test_type_checkers_see_one_overload_for_each_budget(function: Callable[..., Any]) -> None:
    budgets = [inspect.getfullargspec(overload).kwonlyargs for overload in get_overloads(function)]
    assert budgets == [[name] for name in BUDGETS]


def test_help_shows_every_keyword_with_its_default() -> None:
    for function, keywords in ((Summarizer.summarize, KEYWORDS), (Summarizer.frontier, OPTIONS | READING)):
        parameters = inspect.signature(function).parameters
        assert keywords.keys() <= parameters.keys()
        for name, keyword in keywords.items():
            default = parameters[name].default
            assert default == (() if keyword.kind == "indices" else keyword.default)


def test_the_docstring_explains_every_keyword() -> None:
    explained = re.findall(r"^ {4}([\w, ]+):", inspect.getdoc(Summarizer.summarize) or "", re.MULTILINE)
    assert {name for names in explained for name in names.split(", ")} == KEYWORDS.keys()


def test_an_unknown_keyword_is_an_error_that_names_it() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'max_char'"):
        summarize("Rain fell.", max_char=3)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="unexpected keyword argument 'ordre'"):
        Summarizer.load().frontier("Rain fell.", ordre="rank")  # type: ignore[call-arg]


@pytest.mark.parametrize("name", [name for name, option in OPTIONS.items() if option.kind == "choice"])
def test_a_choice_that_is_not_declared_is_refused(name: str) -> None:
    for choice in OPTIONS[name].choices:
        assert getattr(Options(**{name: choice}), name) == choice
    with pytest.raises(UsageError, match=f"{name} must be {' or '.join(OPTIONS[name].choices)}, not 'best'"):
        Options(**{name: "best"})


@pytest.mark.parametrize("name", ["summarize", "batch", "frontier"])
def test_the_command_line_has_a_flag_for_every_keyword(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    flags = {flag.name: flag for flag in command.params if isinstance(flag, click.Option)}
    offered = OPTIONS | READING if name == "frontier" else KEYWORDS
    assert offered.keys() <= flags.keys()
    for keyword in filter(lambda keyword: keyword.help, offered.values()):
        flag = flags[keyword.name]
        assert flag.help == keyword.help
        assert not keyword.choices or tuple(flag.type.choices) == keyword.choices  # type: ignore[attr-defined]


def test_the_service_has_a_field_for_every_keyword_and_its_document_names_it() -> None:
    schema = pytest.importorskip("tersely.serve.schema", reason="the extra serve is not installed")
    bodies = schema.SummarizeBody.model_fields
    described = {name: keyword.description for name, keyword in KEYWORDS.items() if keyword.description}
    assert KEYWORDS.keys() - described.keys() == {"encoder", "tokenizer"}  # those are for the server
    assert {name: bodies[name].description for name in described} == described
    document = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
    section = document.partition("## One text, one budget")[2].partition("\n## ")[0]
    assert {name for name in bodies if f"`{name}`" not in section} == set()
    section = document.partition("## All budgets at once")[2].partition("\n## ")[0]
    own = schema.FrontierBody.model_fields.keys() - bodies.keys()
    assert {name for name in own if f"`{name}`" not in section} == set()


def test_the_page_offers_the_units_that_need_no_tokenizer_and_knows_all() -> None:
    offered = re.findall(r'<option value="(\w+)" data-say="unit\.(\w+)"', (PAGE / "index.html").read_text("utf-8"))
    assert offered == [(unit, unit) for unit in get_args(PlainUnit)]
    speech = (PAGE / "speech.js").read_text(encoding="utf-8")
    for language in ("EN", "ZH"):
        lines = speech.partition(f"const {language} = {{")[2].partition("\n};")[0]
        assert set(re.findall(r'"unit\.(\w+)":', lines)) == set(UNITS)
        [amounts] = re.findall(rf"const UNITS_{language} = {{(.*)}};", speech)
        assert set(re.findall(r"(\w+): \"", amounts)) == set(UNITS)
    measured = re.findall(r'unit === "(\w+)"', (PAGE / "lengths.js").read_text(encoding="utf-8"))
    assert {*measured, "sentences"} == set(UNITS)
    defaults = re.findall(r"^  (?:en|zh): {(.*)},$", (PAGE / "app.js").read_text(encoding="utf-8"), re.MULTILINE)
    assert [set(re.findall(r"(\w+): \d", line)) for line in defaults] == [set(UNITS), set(UNITS)]


def test_the_spacy_pipe_has_a_setting_for_every_budget() -> None:
    spacy = pytest.importorskip("tersely.adapters.spacy", reason="the extra spacy is not installed")
    parameters = inspect.signature(spacy.create).parameters
    assert BUDGETS.keys() | {"order", "redundancy", "coherence"} <= parameters.keys()
