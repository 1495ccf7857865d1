"""The commands of the closed world: `python -m truerate_world serve|annotate|truth|write…`."""

import argparse
import os
import sys
from contextlib import ExitStack
from functools import partial

from truerate.core.errors import TruerateError
from truerate.core.process.cpu import hold_to_avx2
from truerate.core.process.fast_exit import at_once
from truerate.core.process.system_errors import line_of
from truerate_world.folders import part_of, tracks


def main(arguments: list[str] | None = None) -> int:
    """Run one command; a mistake is one line on stderr and exit code 2."""
    options = _parser().parse_args(arguments)
    hold_to_avx2(os.environ)
    try:
        options.run(options)
    except TruerateError as error:
        return _failed(str(error))
    except OSError as error:
        return _failed(line_of(error))
    except KeyboardInterrupt:
        return 130
    return 0


def _failed(line: str) -> int:
    print(f"truerate_world: {line}", file=sys.stderr)
    return 2


def serve_models(options: argparse.Namespace) -> None:
    """Answer Chat Completions on loopback until the process is ended."""
    from truerate_world.encyclopedia import build
    from truerate_world.manners import Answer
    from truerate_world.models import IDS
    from truerate_world.server import Settings, serve
    from truerate_world.simulated_model import reply

    names = [options.track] if options.track else tracks()
    world = build(options.seed, options.languages)
    web = _web(world, names, options)
    settings = Settings(IDS, options.identity, log=options.log, web=web)
    temperatures = [part.asked_at for track in names if (part := part_of(track, "models.temperature"))]

    def ready(port: int) -> None:
        print(f"serving {len(settings.models)} models at http://127.0.0.1:{port}/v1", flush=True)

    def handler(model: str, messages: list[dict], *, temperature: float, **sampling) -> Answer:
        with ExitStack() as stack:
            for asked_at in temperatures:
                stack.enter_context(asked_at(temperature))
            return reply(world, model, messages, temperature=temperature, **sampling, only=options.track)

    try:
        serve(handler, settings, port=options.port, ready=ready)
    except OSError as error:
        what = f"--log {error.filename!r}" if error.filename else f"port {options.port}"
        raise TruerateError(f"{what} cannot be taken: {os.strerror(error.errno)}; name another") from None


def _web(world, names: list[str], options: argparse.Namespace):
    """The web of each protocol that has one, broken as `--breaks` says."""
    sites = [site.Site(world, options.fault) for track in names if (site := part_of(track, "models.site"))]
    if not options.breaks:
        return tuple(site.answer for site in sites)
    broken = [part.BrokenSite for track in names if (part := part_of(track, "broken_web"))]
    return tuple(break_(site, options.breaks).answer for break_, site in zip(broken, sites, strict=True))


def annotate_board(options: argparse.Namespace) -> None:
    """Write the labels that people return for a board; an empty file if its source is not simulated."""
    from truerate.config.layout import Layout
    from truerate_world import steps

    steps.annotate_board(Layout.load(options.params), options.board)


def save_truth(options: argparse.Namespace) -> None:
    """Write the planted values of a board as scores; an empty table where its source is not simulated."""
    from truerate.config.layout import Layout
    from truerate_world import steps

    steps.save_truth(Layout.load(options.params), options.board)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="truerate_world", description="A closed world with planted truth: its sources and its models."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for track in tracks():
        if offered := part_of(track, "commands"):
            offered.add_commands(partial(_command, commands))
    serve = _command(commands, serve_models, "serve", languages=True)
    serve.add_argument("--port", type=int, required=True, help="0 takes a free one")
    serve.add_argument("--identity", default="", help="given back by /health")
    kinds = {"metavar": "KIND[:rate][:first_n]", "help": "of searches; repeatable; first match wins"}
    serve.add_argument("--fault", type=_fault, action="append", default=[], **kinds)
    breaks = "what breaks builds, by name; all: each of them"
    serve.add_argument("--breaks", type=_breaks, default=frozenset(), help=breaks)
    serve.add_argument("--log", help="file to which each call appends `digest task outcome`")
    serve.add_argument("--track", help="answer the prompts of this protocol alone; without it of all")
    for name, run in (("annotate", annotate_board), ("truth", save_truth)):
        command = _command(commands, run, name)
        command.add_argument("board")
        command.add_argument("--params", default="params.yaml")
    return parser


def _command(commands, run, name: str, *, languages: bool | None = None) -> argparse.ArgumentParser:
    """A sub-command with its function's help; with `languages` (or False: without them) it takes a world."""
    command = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
    command.set_defaults(run=run)
    if languages is not None:
        command.add_argument("--seed", type=int, default=7)
    if languages:
        joined = {"type": lambda text: tuple(text.split(",")), "help": "comma-joined, as in en,de"}
        command.add_argument("--languages", default=("en",), **joined)
    return command


def _breaks(text: str) -> frozenset[str]:
    """The faults of the web by name, of the protocols that have a web."""
    parts = [part for track in tracks() if (part := part_of(track, "breaks"))]
    try:
        return frozenset().union(*(part.parse_breaks(text) for part in parts))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _fault(text: str):
    from truerate_world.faults import parse_fault

    try:
        return parse_fault(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


if __name__ == "__main__":
    sys.exit(at_once(main))
