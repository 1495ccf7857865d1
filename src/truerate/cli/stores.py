"""`truerate llm`, `truerate web` and `truerate prompts`: stored responses and pages, and the user's prompts."""

from truerate.cli.command import command, layout


@command("llm stats")
def _stats(o) -> None:
    from truerate.llm import commands

    commands.stats(layout(), as_json=o.json)


@command("llm dead")
def _dead(o) -> None:
    from truerate.llm import commands
    from truerate.pipeline.repair.invalidate import ask_again_everywhere

    commands.dead(layout(), retry=o.retry, as_json=o.json, mark=ask_again_everywhere)


@command("llm batches")
def _batches(o) -> None:
    from truerate.llm import commands

    commands.batches(layout(), forget=o.forget, as_json=o.json)


@command("llm export")
def _export(o) -> None:
    from truerate.llm import commands

    commands.export(layout(), o.file)


@command("llm gc")
def _gc(o) -> None:
    from truerate.llm import commands

    commands.gc(layout())


@command("llm import")
def _import(o) -> None:
    from truerate.llm import commands

    commands.import_(layout(), o.file)


@command("web stats")
def _pages(o) -> None:
    from truerate.web import commands

    commands.stats(layout(), o.reason, as_json=o.json)


@command("web retry")
def _retry(o) -> None:
    from truerate.pipeline.repair.invalidate import ask_pages_again
    from truerate.web import commands

    commands.retry(layout(), o.reason, mark=ask_pages_again, as_json=o.json)


@command("web forget")
def _forget(o) -> None:
    from truerate.core.errors import SettingsError
    from truerate.pipeline.repair.invalidate import ask_pages_again, ask_query_again
    from truerate.web import commands

    if (o.url is None) == (o.query is None):
        given = "both" if o.url else "neither"
        raise SettingsError(f"truerate web forget: name an address or --query TEXT, not {given}")
    if o.query is None:
        commands.forget(layout(), o.url, mark=ask_pages_again, as_json=o.json)
    else:
        commands.forget_query(layout(), o.query, mark=ask_query_again, as_json=o.json)


@command("prompts import")
def _import_prompts(o) -> None:
    from truerate.core.process.display import show_table
    from truerate.llm.clones import import_prompts

    p = None if o.to else layout().p
    to = o.to or p.llm.prompts_dir or f"{p.paths.inputs}/prompts"
    rows, notes = import_prompts(o.clone, to)
    show_table(rows, as_json=o.json)
    if not o.json:
        print(*notes, f"written to {to}; params.yaml uses them with llm.prompts_dir: {to}", sep="\n")
