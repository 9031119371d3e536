"""Build the site: `python docs/_build.py build` checks everything strictly, `serve` shows it on this machine.

Beside the pages it makes four things: the page of the service, which shows its examples without a server; the command
reference, from the commands themselves; the short table of results, from results/rouge.csv; and doctests that look like
code in the API reference (`Doctests`, which mkdocs.yml names).
"""

import csv
import os
import subprocess
import sys
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click
import griffe

ROOT = Path(__file__).parents[1]

# What the short table shows: a name for people, the dev set, and the budget.
ROWS = (
    ("CNN/DailyMail, 3 sentences", "dev_cnndm", "3 sentences"),
    ("CNN/DailyMail, 300 characters", "dev_cnndm", "300 chars"),
    ("CNN/DailyMail, 400 characters", "dev_cnndm", "400 chars"),
    ("CNN/DailyMail, 450 characters", "dev_cnndm", "450 chars"),
    ("CNN/DailyMail, 500 characters", "dev_cnndm", "500 chars"),
    ("CNN, 400 characters", "dev_cnn", "400 chars"),
    ("Inshorts, 58 words", "dev_inshorts", "58 words"),
    ("BBC, 170 words", "dev_bbc", "170 words"),
    ("Chinese web news, 100 characters", "dev_pku", "100 chars"),
    ("Chinese broadcast news, 100 characters", "dev_xinwenlianbo", "100 chars"),
    ("Chinese court rulings, 200 characters", "dev_cail", "200 chars"),
    ("Chinese court rulings, 300 characters", "dev_cail", "300 chars"),
    ("E-mail, 1 sentence", "en_email", "1 sentences"),
    ("Abstracts, 1 sentence", "en_tldr", "1 sentences"),
    ("Medical papers, 210 words", "en_pubmed", "210 words"),
    ("Papers on language, 160 words", "en_acl", "160 words"),
    ("Indian judgments, 600 words", "en_judgement_in", "600 words"),
    ("Earnings calls, 60 words", "en_earnings", "60 words"),
    ("Meetings, 110 words", "en_meeting_qmsum", "110 words"),
    ("Dialogues, 25 words", "en_dialogue", "25 words"),
    ("Stories, 400 words", "en_story", "400 words"),
    ("French news, 40 words", "fr_news", "40 words"),
    ("Indonesian news, 50 words", "id_news", "50 words"),
)
OURS = {"editor": "**`editor`**", "news": "`news`", "trained": "trained on such texts"}
NO_RULES = {*OURS, "editor~off", "oracle", "random"}


class Doctests(griffe.Extension):
    """Fences the doctests in docstrings; without fences Markdown reads them as quotations."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of one object."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    """Return a docstring with its doctests in fences."""
    parts = cleandoc(docstring).split("\n\n")
    return "\n\n".join(f"```pycon\n{part}\n```" if part.startswith(">>> ") else part for part in parts)


def reference() -> str:
    """Return every command with its options, as Markdown."""
    from tersely.cli import cli

    return "\n".join(_command(cli, click.Context(cli, info_name="tersely")))


def _command(command: click.Command, ctx: click.Context) -> list[str]:
    lines = []
    if ctx.parent:
        level = "#" * (1 + ctx.command_path.count(" "))
        usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])
        lines += [f"{level} {ctx.command_path}", "", "```text", usage, "```", "", *_help(command.help or "")]
        lines += _options(command, ctx)
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            child = command.get_command(ctx, name)
            assert child is not None, name
            lines += _command(child, click.Context(child, parent=ctx, info_name=name))
    return lines


def _help(text: str) -> list[str]:
    """Turn a help text into paragraphs; after a `\\b`, which tells click not to wrap, come examples."""
    lines = []
    for part in cleandoc(text).split("\n\n"):
        if part.startswith("\b\n"):
            lines += ["```sh", part.removeprefix("\b\n"), "```", ""]
        else:
            lines += [_plain(part), ""]
    return lines


def _options(command: click.Command, ctx: click.Context) -> list[str]:
    options = [param for param in command.params if isinstance(param, click.Option)]
    records = [record for option in options if (record := option.get_help_record(ctx))]
    if not records:
        return []
    rows = [f"| `{name}` | {_plain(what)} |" for name, what in records]
    return ["| option | what it does |", "|---|---|", *rows, ""]


def _plain(text: str) -> str:
    """Keep Markdown from reading anything into a text."""
    return "".join("\\" + char if char in "\\`*_[]<>|#" else char for char in " ".join(text.split()))


def short_table() -> str:
    """Return the main results of results/rouge.csv, one row each, as Markdown."""
    measured = {row["system"] for _, dev, _ in ROWS for row in _rows(dev)}
    ours = [system for system in OURS if system in measured]
    titles = ["", "`lead`", "best fixed rule", *map(OURS.__getitem__, ours), f"`{ours[0]}` − `lead`, R-1 (95 %)"]
    head = f"| {' | '.join(titles)} |\n{'|---' * len(titles)}|"
    return "\n".join([head, *(_row(*row, ours) for row in ROWS)])


def _row(title: str, dev: str, budget: str, ours: list[str]) -> str:
    systems = {row["system"]: row for row in _rows(dev) if row["budget"] == budget}

    def both(system: str) -> str:
        return f"{_one(systems[system]['r1'])} / {_one(systems[system]['r2'])}" if system in systems else ""

    best = max(systems.keys() - NO_RULES, key=lambda rule: float(systems[rule]["r1"]))
    cells = [title, both("lead"), f"{_one(systems[best]['r1'])} (`{best}`)", *map(both, ours)]
    first = systems[ours[0]]
    return f"| {' | '.join(cells)} | {first['delta']} ({first['low']}, {first['high']}) |"


def _one(figure: str) -> str:
    return f"{float(figure):.1f}"


def _rows(dev: str) -> list[dict[str, str]]:
    with (ROOT / "results" / "rouge.csv").open(encoding="utf-8", newline="") as stream:
        return [row for row in csv.DictReader(stream) if row["set"] == dev]


def main() -> None:
    """Write what pages include, then build or serve the site."""
    [action] = sys.argv[1:] or ["build"]
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    (build / "commands.md").write_text(reference(), encoding="utf-8")
    (build / "short-results.md").write_text(short_table(), encoding="utf-8")
    how = {"build": ["build", "--clean", "--strict"], "serve": ["serve", "--dev-addr", "127.0.0.1:8001"]}[action]
    os.chdir(ROOT)
    if action == "build":
        subprocess.run([sys.executable, "-m", "zensical", *how], check=True)
        subprocess.run([sys.executable, ROOT / "benchmarks" / "static_page.py"], check=True)
        return
    # In place of this process, so that Ctrl-C ends the server without a traceback.
    os.execv(sys.executable, [sys.executable, "-m", "zensical", *how])


if __name__ == "__main__":
    main()
