"""`tersely serve`: the page, and summaries over HTTP; `tersely mcp`: tools for assistants."""

import sys
from pathlib import Path

import click

from tersely.cli._running import say
from tersely.errors import extra


@click.command("serve", short_help="Serve the page and the HTTP interface.")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME|FOLDER",
    help="Model to serve. Repeat for several; the first is the default.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port to listen on; 0: any free one."
)
@click.option(
    "--workers", type=click.IntRange(1, 256), metavar="N", help="Number of worker processes. Default: one per core."
)
@click.option(
    "--queue",
    type=click.IntRange(0),
    metavar="N",
    default=64,
    show_default=True,
    help="Requests that may wait for a worker.",
)
@click.option(
    "--deadline",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    default=30,
    show_default=True,
    help="Seconds a request may take.",
)
@click.option(
    "--max-body",
    type=click.IntRange(1),
    metavar="BYTES",
    default=2_000_000,
    show_default=True,
    help="Largest body to accept.",
)
@click.option(
    "--max-file",
    type=click.IntRange(1),
    metavar="BYTES",
    default=10_000_000,
    show_default=True,
    help="Largest file to accept at /v1/extract.",
)
@click.option(
    "--tokens-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Require one of the tokens in FILE, one per line.",
)
@click.option("--cors", multiple=True, metavar="ORIGIN", help="Allow pages from this origin. Repeat for several.")
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="Answer under this host name, too. Repeat for several; *: any.",
)
@click.option("--insecure", is_flag=True, help="Let other machines use it without a token.")
@click.option("--tokenizer", metavar="FILE|NAME", help="tokenizer.json or encoding for budgets in tokens.")
@click.option("--encoder", metavar="NAME", help="Vectors for queries, such as use. Default: words only.")
def serve(
    models: tuple[str, ...],
    host: str,
    port: int,
    workers: int | None,
    queue: int,
    deadline: float,
    max_body: int,
    max_file: int,
    tokens_file: Path | None,
    cors: tuple[str, ...],
    names: tuple[str, ...],
    insecure: bool,
    tokenizer: str | None,
    encoder: str | None,
) -> None:
    """Serve the page at / and the HTTP interface at /v1, described at /docs. Stop it with Ctrl-C.

    \b
    tersely serve
    tersely serve --model my-model --port 8080 --tokens-file tokens.txt
    """
    with extra("the service", "serve"):
        from tersely.serve.server import ServeOptions, check_name, check_origin, read_tokens
        from tersely.serve.server import serve as run

    defaults = ServeOptions()
    options = ServeOptions(
        models=models or defaults.models,
        host=host,
        port=port,
        workers=workers or defaults.workers,
        queue=queue,
        deadline=deadline,
        max_body=max_body,
        max_file=max_file,
        tokens=read_tokens(tokens_file) if tokens_file else (),
        cors=tuple(map(check_origin, cors)),
        names=tuple(map(check_name, names)),
        insecure=insecure,
        tokenizer=tokenizer,
        encoder=encoder,
    )
    run(options, lambda address: click.echo(f"tersely: listening on {address}"))


@click.command("mcp", short_help="Serve tools to assistants (MCP).")
@click.option("--model", metavar="NAME|FOLDER", help="A shipped model or a model folder.")
@click.option("--tokenizer", metavar="FILE", help="The tokenizer.json that counts tokens.")
def mcp(model: str | None, tokenizer: str | None) -> None:
    """Serve the tools fit and outline over the Model Context Protocol, on standard input and output.

    An assistant starts this command by itself; put it into the assistant's list of MCP servers.

    \b
    tersely mcp
    tersely mcp --tokenizer tokenizer.json
    """
    with extra("the MCP server", "mcp"):
        from tersely.adapters.mcp import serve as run

    from tersely.summarizer import Summarizer

    summarizer = Summarizer.load(model)
    if tokenizer is not None:
        # What is wrong with it should be known now, not at the first call.
        summarizer.summarize("Rain fell.", max_tokens=1, tokenizer=tokenizer)
    if sys.stdin is not None and sys.stdin.isatty():
        say("tersely: waiting for an assistant on standard input; stop it with Ctrl-C")
    run(summarizer, tokenizer)
