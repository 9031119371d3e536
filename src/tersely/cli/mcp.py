"""`tersely mcp`: tools for assistants, over the Model Context Protocol."""

import sys

import click

from tersely.cli._printing import say
from tersely.errors import extra


@click.command("mcp", short_help="Serve tools to assistants (MCP).")
@click.option("--model", metavar="NAME|FOLDER", help="A shipped model or a model folder.")
@click.option("--tokenizer", metavar="FILE", help="The tokenizer.json that counts tokens.")
def command(model: str | None, tokenizer: str | None) -> None:
    """Serve the tools fit and outline over the Model Context Protocol, on standard input and output.

    An assistant starts this command by itself; put it into the assistant's list of MCP servers.

    \b
    tersely mcp
    tersely mcp --tokenizer tokenizer.json
    """
    with extra("the MCP server", "mcp"):
        from tersely.adapters.mcp import serve

    from tersely.summarizer import Summarizer

    summarizer = Summarizer.load(model)
    if tokenizer is not None:
        # What is wrong with it should be known now, not at the first call.
        summarizer.summarize("Rain fell.", max_tokens=1, tokenizer=tokenizer)
    if sys.stdin is not None and sys.stdin.isatty():
        say("tersely: waiting for an assistant on standard input; stop it with Ctrl-C")
    serve(summarizer, tokenizer)
