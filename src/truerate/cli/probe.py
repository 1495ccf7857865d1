"""What `truerate probe` shows: each reply, how it was read, its cost, and what mends the unread."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path

import polars as pl

from truerate.cli.command import WORDS
from truerate.config.layout import Layout
from truerate.core.process.display import show_table
from truerate.pipeline.checks.probe import REASKED, Kind, Probe, Probed, probe, would_ask
from truerate.pipeline.checks.recall import cost, recall
from truerate.pipeline.publishing.canary import board_canary, canary_in

N_SHOWN = 100  # characters of a reply
UNSAID = "–"


def run(config: Layout, model: str, *, n: int, boards: list[str], dry_run: bool, as_json: bool) -> int:
    """Probe a model and show what came; the exit code: 1 where something could not be read, else 0."""
    if dry_run:
        costs = would_ask(config, model, n=n, boards=boards)
        lines = [{"board": board, "model": model} | asdict(cost) for board, cost in costs.items()]
        show_table(pl.DataFrame(lines), as_json=as_json)
        return 0
    came = probe(config, model, n=n, boards=boards)
    show(model, came, as_json=as_json)
    return 0 if all(reply.is_read for reply in came.replies) else 1


def run_canary(config: Layout, model: str, named: str, *, dry_run: bool, as_json: bool) -> int:
    """Ask a model to continue the canary of a board or in a file, and show what came; the exit code: 1 where it
    does, 3 where it gave no reply, else 0.
    """
    is_board = named in config.p.boards
    canary = board_canary(config, named) if is_board else canary_in(Path(named))
    config = config.on(
        named if is_board else next(iter(config.p.boards))
    )  # by whose track a server may be launched
    if dry_run:
        show_table(pl.DataFrame([{"model": model} | asdict(cost(config, model, canary))]), as_json=as_json)
        return 0
    replies = recall(config, model, canary)
    is_recalled, is_asked = any(each.is_recalled for each in replies), any(each.reply for each in replies)
    lines = [
        {
            "digits shown": each.n_shown,
            "continued": each.n_right,
            "reply": _short(each.reply) if each.reply else f"no reply: {each.reason}",
        }
        for each in replies
    ]
    if as_json:
        report = {"canary": canary, "model": model, "is_recalled": is_recalled if is_asked else None}
        print(
            json.dumps(report | {"replies": [asdict(each) for each in replies]}, ensure_ascii=False, indent=1)
        )
    else:
        show_table(pl.DataFrame(lines), as_json=False)
        print(
            f"\n{canary}\n{model} {WORDS['canary']['yes' if is_recalled else 'no' if is_asked else 'silent']}"
        )
    return 1 if is_recalled else 0 if is_asked else 3


def rows(probed: Probe) -> list[dict[str, object]]:
    """One row per reply, for a table or JSON."""
    return [
        {
            "board": reply.kind.board,
            "step": reply.kind.step,
            "kind": _name(reply.kind),
            "status": reply.status,
            "reason": reply.reason,
            "reply": reply.words,
            "read": _read(reply) if reply.is_read else None,
            "finish_reason": reply.reply.finish_reason,
            "tokens_in": reply.reply.n_tokens_in,
            "tokens_out": reply.reply.n_tokens_out,
            "usd": reply.reply.cost_usd,
            "is_stored": reply.reply.is_stored,
            "is_own_prompt": reply.is_own,
        }
        for reply in probed.replies
    ]


def advice(replies: Iterable[Probed], model: str) -> list[str]:
    """Return what mends what was not read, one line per kind of prompt and reason, in the order of the
    replies. What was asked again goes with its first question.
    """
    lines = {}
    for reply in replies:
        if (line := _mend(reply, model)) is not None:
            lines[f"{reply.kind.board} · {_name(reply.kind).removesuffix(f' {REASKED}')}: {line}"] = None
    return list(lines)


def _mend(reply: Probed, model: str) -> str | None:
    if not reply.is_own:  # to assumed words any model answers oddly
        return None
    if reply.status == "ok":
        rejected = reply.attributes.get("rejected")
        return WORDS["otherwise"]["rejected"].format(reason=rejected) if rejected else None
    reason = reply.reason or reply.status
    if reply.status == "unparsed" and reply.reply.finish_reason == "length":
        reason = "length"
    settings = " or ".join(f"`{path}`" for path in reply.limited_by) or "`max_tokens` of its decoding block"
    # `teaching turn: length`: a turn before this prompt had no reply, for that reason
    mends = WORDS["mends"]
    line = next(
        (mends[part] for part in reason.split(": ") if part in mends), WORDS["otherwise"][reply.status]
    )
    if line == WORDS["otherwise"]["unparsed"] and reply.may_be_structured:
        line += WORDS["structured"]
    return line.format(model=model, settings=settings, limit=reply.limit, reason=reason)


def show(model: str, probed: Probe, *, as_json: bool) -> None:
    """Print every reply under its kind, what came of each kind, and what mends the rest."""
    mends = advice(probed.replies, model)
    if as_json:
        report = {"replies": rows(probed), "advice": mends, "roles": probed.roles}
        print(json.dumps(report, ensure_ascii=False, indent=1))
        return
    for kind, group in groupby(probed.replies, key=lambda reply: reply.kind):
        print("\n".join(_lines(kind, list(group))))
    n_read = sum(reply.is_read for reply in probed.replies)
    n_new = sum(not reply.reply.is_stored for reply in probed.replies)
    took = sum(probed.seconds.values())
    asked = (
        f"{n_new} asked now, in {took:.1f} s: a build finds stored what it asks too"
        if n_new
        else "nothing was asked: all of them stood in the response store"
    )
    print(f"\n{n_read} of {len(probed.replies)} replies read; {asked}")
    for board, roles in probed.roles.items():
        named = " and ".join(f"`{role}`" for role in roles)
        print(f"{board}: its settings name {model!r} in no role; it was asked as one of its {named}")
    if not all(reply.is_own for reply in probed.replies):
        print(
            "* holds words that a plan assumes, for replies of other models are not there: no prompt of the "
            "build"
        )
    if mends:
        print("\nwhat mends the rest:")
        print("\n".join(f"- {line}" for line in mends))


def _lines(kind: Kind, replies: list[Probed]) -> Iterator[str]:
    n_read = sum(reply.is_read for reply in replies)
    n_in, n_out = (
        sum(n or 0 for n in column)
        for column in zip(
            *((reply.reply.n_tokens_in, reply.reply.n_tokens_out) for reply in replies), strict=True
        )
    )
    usd = sum(reply.reply.cost_usd for reply in replies)
    star = "" if all(reply.is_own for reply in replies) else " *"
    yield (
        f"\n{kind.board} · {_name(kind)}{star}: {n_read} of {len(replies)} read · {n_in} + {n_out} tokens "
        f"· {usd:.4f} USD"
    )
    for reply in replies:
        choice = _verdict(reply)
        reason = reply.reason or reply.attributes.get("rejected")
        outcome = choice or reply.status + (f" ({reason})" if reason else "")
        yield f"  {outcome:<24}{_short(reply.words)}"
        if choice is None and reply.is_read and (read := _read(reply)) != reply.reply.text:
            yield f"  {'':<22}→ {_short(read)}"


def _name(kind: Kind) -> str:
    return " ".join(filter(None, (kind.purpose, kind.name)))


def _verdict(reply: Probed) -> str | None:
    """The verdict or choice that was read of a reply; None where it is a text."""
    attributes = reply.attributes
    if "choice" in attributes:
        return "first" if attributes["choice"] == attributes.get("first") else "second"
    return attributes.get("verdict")


def _read(reply: Probed) -> str:
    """Return what was read of a reply: its verdict, else its text as the data set has it, with what was cut."""
    cut = reply.attributes.get("cuts")
    return (_verdict(reply) or reply.text) + (f"   (cut: {cut})" if cut else "")


def _short(text: str) -> str:
    line = " ¶ ".join(part.strip() for part in text.splitlines() if part.strip()) or UNSAID
    return line if len(line) <= N_SHOWN else line[: N_SHOWN - 1] + "…"
