"""What only the author of a board's data set knows: asked once on a terminal, kept in params.yaml (`hub.datasheets`)."""

import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import yaml

from truerate.config import checked
from truerate.config.layout import Layout
from truerate.core.process.terminal import say
from truerate.core.text import clean
from truerate.pipeline.guard import write_text
from truerate.pipeline.publishing.datasheet import author_questions, unanswered

PARAMS = "params.yaml"
_HUB, _SHEETS = (
    re.compile(r"^hub:[ \t]*(#.*)?\n", re.MULTILINE),
    re.compile(r"^  datasheets:[ \t]*(#.*)?\n", re.MULTILINE),
)
_EMPTY = re.compile(r"^(  datasheets:)[ \t]*\{\}", re.MULTILINE)


def with_author(
    config: Layout, board: str, *, may_ask: bool = True, ask: Callable[[str], str] | None = None
) -> Layout:
    """Return the settings with what the author of a board answers for its datasheet.

    Where params.yaml has no entry `hub.datasheets.<board>` and there is someone to `ask` (default: the
    terminal, if there is one and `may_ask`), each question is put once, and the answers, empty ones too, are
    written into params.yaml; its other bytes stay. Nothing is ever refused for them.
    """
    ask = ask or (input if may_ask and sys.stdin.isatty() and sys.stdout.isatty() else None)
    if ask and board not in config.p.hub.datasheets:
        say(f"the datasheet of {board!r} asks what only you know; an empty line leaves a question open")
        answers = dict.fromkeys(author_questions(), "")
        for key, question in author_questions().items():
            try:
                answers[key] = " ".join(clean(ask(f"{question} ")).split())
            except EOFError:  # the rest stays open
                break
        return _kept(config, board, answers)
    return config


def say_open_questions(config: Layout, board: str) -> None:
    """Name in one line the questions of a board's datasheet that its author has not answered; nothing without any."""
    if keys := unanswered(config, board):
        where = f"hub.datasheets.{board} in {PARAMS}"
        what = f"the datasheet of {board!r} says 'not said by the author' for {', '.join(keys)}"
        say(f"{what}; answer under {where}")


def _kept(config: Layout, board: str, answers: Mapping[str, str]) -> Layout:
    """Write answers into params.yaml, or where it has no room for them show what to paste."""
    text = Path(PARAMS).read_text("utf-8")
    new = with_answers(text, board, answers)
    if new is None:
        say(f"{PARAMS} is laid out in another way; put this under `hub` yourself:\n{block(board, answers)}")
        return config
    write_text(PARAMS, new)
    say(
        f"the answers stand under hub.datasheets.{board} of {PARAMS}; the pages show them after `truerate build`"
    )
    return Layout(checked(yaml.safe_load(new), PARAMS), config.track)


def block(board: str, answers: Mapping[str, str]) -> str:
    """Return the answers of one board as YAML, as they stand below `hub`."""
    lines = [
        f"      {key}: {json.dumps(answer, ensure_ascii=False) if answer else 'null'}\n"
        for key, answer in answers.items()
    ]
    return f"  datasheets:\n    {board}:\n{''.join(lines)}"


def with_answers(text: str, board: str, answers: Mapping[str, str]) -> str | None:
    """Return params.yaml with the answers of a board, every other byte as it was; None where it is laid out so
    that they cannot be put in, which is seen by reading the result.
    """
    before = yaml.safe_load(text)
    heading, entry = block(board, answers).split("\n", 1)
    spread = _EMPTY.sub(r"\1", text)
    at, added = (
        (_SHEETS.search(spread), entry)
        if _SHEETS.search(spread)
        else (_HUB.search(spread), f"{heading}\n{entry}")
    )
    if at is None:
        return None
    new = spread[: at.end()] + added + spread[at.end() :]
    of_board = {key: answer or None for key, answer in answers.items()}
    hub = before["hub"] | {"datasheets": {**(before["hub"].get("datasheets") or {}), board: of_board}}
    try:
        return new if yaml.safe_load(new) == before | {"hub": hub} else None
    except yaml.YAMLError:
        return None
