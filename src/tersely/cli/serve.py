"""`tersely serve`: the page, and summaries over HTTP."""

from pathlib import Path

import click

from tersely.errors import extra


@click.command("serve", short_help="Serve the page and the HTTP interface.")
@click.option(
    "--model", "models", multiple=True, metavar="NAME|FOLDER", help="May be given again; the first is default."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any that is free.")
@click.option(
    "--workers", type=click.IntRange(1, 256), metavar="N", help="Processes that summarize. Default: one a core."
)
@click.option(
    "--queue", type=click.IntRange(0), metavar="N", default=64, show_default=True, help="Requests that may wait."
)
@click.option(
    "--deadline",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    default=30,
    show_default=True,
    help="Seconds that a request may take.",
)
@click.option(
    "--max-body",
    type=click.IntRange(1),
    metavar="BYTES",
    default=2_000_000,
    show_default=True,
    help="Largest body that is read.",
)
@click.option(
    "--tokens-file", type=click.Path(path_type=Path), metavar="FILE", help="Ask for one of these tokens, one a line."
)
@click.option("--cors", multiple=True, metavar="ORIGIN", help="Let pages of this origin ask. May be given again.")
@click.option("--tokenizer", metavar="FILE", help="tokenizer.json that counts tokens.")
def command(
    models: tuple[str, ...],
    host: str,
    port: int,
    workers: int | None,
    queue: int,
    deadline: float,
    max_body: int,
    tokens_file: Path | None,
    cors: tuple[str, ...],
    tokenizer: str | None,
) -> None:
    """Serve the page at / and the HTTP interface at /v1, described at /docs. Ends with Ctrl-C.

    \b
    tersely serve
    tersely serve --model my-model --port 8080 --tokens-file tokens.txt
    """
    with extra("the service", "serve"):
        from tersely.serve.access import check_origin, read_tokens
        from tersely.serve.run import serve
        from tersely.serve.settings import Settings

    defaults = Settings()
    settings = Settings(
        models=models or defaults.models,
        host=host,
        port=port,
        workers=workers or defaults.workers,
        queue=queue,
        deadline=deadline,
        max_body=max_body,
        tokens=read_tokens(tokens_file) if tokens_file else (),
        cors=tuple(map(check_origin, cors)),
        tokenizer=tokenizer,
    )
    serve(settings, lambda address: click.echo(f"tersely: listening on {address}"))
