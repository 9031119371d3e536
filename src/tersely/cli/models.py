"""`tersely models`: what there is to choose from."""

import click


@click.command("models", short_help="List models, scorers, encoders and selectors.")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the shipped models and the parts they are made of. With NAME, print that model's card."""
    from tersely.encode import ENCODERS
    from tersely.models import DEFAULT, load_model, shipped_models
    from tersely.score import SCORERS
    from tersely.select import SELECTORS

    if name is not None:
        click.echo(load_model(name).card)
        return
    click.secho("models (--model)", bold=True)
    for model in shipped_models():
        default = " (default)" if model == DEFAULT else ""
        click.echo(f"  {model:<10} {load_model(model).description}{default}")
    for option, registry in (("scorer", SCORERS), ("encoder", ENCODERS), ("select", SELECTORS)):
        click.secho(f"{registry.kind}s (--{option})", bold=True)
        for part in registry.names():
            click.echo(f"  {part:<10} {registry.describe(part)}")
