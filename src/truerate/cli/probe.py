"""What `truerate probe` shows: each reply, how it was read, what it cost, and what mends what could not be."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import groupby

import polars as pl

from truerate.cli.command import WORDS
from truerate.config.layout import Layout
from truerate.core.process.display import show_table
from truerate.pipeline.checks.probe import AGAIN, Kind, Probe, Probed, probe, would_ask

N_SHOWN = 100  # characters of a reply
UNSAID = "–"


def run(at: Layout, model: str, *, n: int, boards: list[str], dry_run: bool, as_json: bool) -> int:
    """Probe a model and show what came; the exit code: 1 where something could not be read, else 0."""
    if dry_run:
        found = would_ask(at, model, n=n, boards=boards)
        lines = [{"board": board, "model": model} | asdict(cost) for board, cost in found.items()]
        show_table(pl.DataFrame(lines), as_json=as_json)
        return 0
    came = probe(at, model, n=n, boards=boards)
    show(model, came, as_json=as_json)
    return 0 if all(reply.is_read for reply in came.replies) else 1


def rows(found: Probe) -> list[dict[str, object]]:
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
        for reply in found.replies
    ]


def advice(found: Iterable[Probed], model: str) -> list[str]:
    """What mends what was not read, one line per kind of prompt and reason, in the order of the replies. What
    was asked again goes with its first question.
    """
    lines = {}
    for one in found:
        if (line := _mend(one, model)) is not None:
            lines[f"{one.kind.board} · {_name(one.kind).removesuffix(f' {AGAIN}')}: {line}"] = None
    return list(lines)


def _mend(one: Probed, model: str) -> str | None:
    if not one.is_own:  # to assumed words any model answers oddly
        return None
    if one.status == "ok":
        rejected = one.attributes.get("rejected")
        return WORDS["otherwise"]["rejected"].format(reason=rejected) if rejected else None
    reason = one.reason or one.status
    if one.status == "unparsed" and one.reply.finish_reason == "length":
        reason = "length"
    settings = " or ".join(f"`{place}`" for place in one.limited_by) or "`max_tokens` of its decoding block"
    # `teaching turn: length`: a turn before this prompt had no reply, for that reason
    mends = WORDS["mends"]
    line = next((mends[part] for part in reason.split(": ") if part in mends), WORDS["otherwise"][one.status])
    if line == WORDS["otherwise"]["unparsed"] and one.may_be_structured:
        line += WORDS["structured"]
    return line.format(model=model, settings=settings, limit=one.limit, reason=reason)


def show(model: str, found: Probe, *, as_json: bool) -> None:
    """Print every reply under its kind, what came of each kind, and what mends the rest."""
    mends = advice(found.replies, model)
    if as_json:
        told = {"replies": rows(found), "advice": mends, "roles": found.roles}
        print(json.dumps(told, ensure_ascii=False, indent=1))
        return
    for kind, group in groupby(found.replies, key=lambda one: one.kind):
        print("\n".join(_lines(kind, list(group))))
    n_read = sum(reply.is_read for reply in found.replies)
    n_new = sum(not reply.reply.is_stored for reply in found.replies)
    took = sum(found.seconds.values())
    asked = (
        f"{n_new} asked now, in {took:.1f} s: a build finds stored what it asks too"
        if n_new
        else "nothing was asked: all of them stood in the response store"
    )
    print(f"\n{n_read} of {len(found.replies)} replies read; {asked}")
    for board, roles in found.roles.items():
        named = " and ".join(f"`{role}`" for role in roles)
        print(f"{board}: its settings name {model!r} in no role; it was asked as one of its {named}")
    if not all(reply.is_own for reply in found.replies):
        print(
            "* holds words that a plan assumes, for replies of other models are not there: no prompt of the build"
        )
    if mends:
        print("\nwhat mends the rest:")
        print("\n".join(f"- {line}" for line in mends))


def _lines(kind: Kind, found: list[Probed]) -> Iterator[str]:
    n_read = sum(one.is_read for one in found)
    n_in, n_out = (
        sum(n or 0 for n in column)
        for column in zip(*((one.reply.n_tokens_in, one.reply.n_tokens_out) for one in found), strict=True)
    )
    usd = sum(one.reply.cost_usd for one in found)
    star = "" if all(one.is_own for one in found) else " *"
    yield f"\n{kind.board} · {_name(kind)}{star}: {n_read} of {len(found)} read · {n_in} + {n_out} tokens · {usd:.4f} USD"
    for one in found:
        said = _said(one)
        reason = one.reason or one.attributes.get("rejected")
        outcome = said or one.status + (f" ({reason})" if reason else "")
        yield f"  {outcome:<24}{_short(one.words)}"
        if said is None and one.is_read and (read := _read(one)) != one.reply.text:
            yield f"  {'':<22}→ {_short(read)}"


def _name(kind: Kind) -> str:
    return " ".join(filter(None, (kind.purpose, kind.name)))


def _said(one: Probed) -> str | None:
    """The verdict or choice that was read of a reply; None where it is a text."""
    known = one.attributes
    if "choice" in known:
        return "first" if known["choice"] == known.get("first") else "second"
    return known.get("verdict")


def _read(one: Probed) -> str:
    """What was read of a reply: what it says, else its text as the data set has it, with what was cut from it."""
    cut = one.attributes.get("cuts")
    return (_said(one) or one.text) + (f"   (cut: {cut})" if cut else "")


def _short(text: str) -> str:
    line = " ¶ ".join(part.strip() for part in text.splitlines() if part.strip()) or UNSAID
    return line if len(line) <= N_SHOWN else line[: N_SHOWN - 1] + "…"
