"""The planted truth of a board as scores: rates realised in its responses, expected ones of judges."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from truerate.core.schemas import pair
from truerate_world.encyclopedia import World
from truerate_world.halludial.given import SELF, Response, givens, responses, standing
from truerate_world.halludial.models.claims import checker
from truerate_world.halludial.models.profiles import PROFILES, Model
from truerate_world.halludial.models.writing_wording import CONTINUED
from truerate_world.halludial.truth_judges import Texts, judge_scores
from truerate_world.manners import manners_of
from truerate_world.steps import mean_row, planted_row, score_rows

PLANTED = "planted"
RATE = "hallucination_rate"


def planted_scores(
    board: str,
    *,
    world: World,
    models: Mapping[str, str],
    efforts: Mapping[str, str] | None = None,
    items: pl.DataFrame,
    documents: pl.DataFrame,
    generations: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    reask: int = 0,
    inputs: str = "",
) -> list[dict]:
    """Score rows of method `planted`; metrics and slices are named as the track names its estimates.

    `models` are aliases and the simulated models behind them; `efforts`: at which those think that do;
    `samples` are the data set's and those that people labelled. `reask`: how often an unread reply is asked for again.
    """
    claim_checker, given = checker(world), givens(items, documents)
    n_turns = dict(items.group_by("group_id").len().iter_rows())
    profiles = {alias: PROFILES[name] for alias, name in models.items() if name in PROFILES}
    simulated = {
        alias: replace(model, effort=(efforts or {}).get(alias)) for alias, model in profiles.items()
    }
    asked = generations.filter(pl.col("model").is_in(list(simulated)) & pl.col("item_id").is_in(list(given)))
    tested = [response for response in responses(claim_checker, given, asked) if response.split == "test"]
    texts = Texts(claim_checker, given, samples)
    rows = [
        *_rates(tested, n_turns),
        *_differences(tested, n_turns),
        *_replies(standing(asked), simulated),
        *judge_scores(texts, asked, judgements, simulated=simulated, reask=reask),
    ]
    return score_rows(rows, board, inputs)


def _rates(tested: Sequence[Response], n_turns: Mapping[str, int]) -> Iterator[dict]:
    """Share of hallucinated turns, and of dialogues with one, of complete test dialogues."""
    groups: dict[tuple[str, str, str], list[Response]] = {}
    for response in tested:
        name = (response.model, response.history, response.temperature)
        groups.setdefault(name, []).append(response)
    for (model, history, temperature), group in sorted(groups.items()):
        where = {"history": history, "temperature": temperature, "estimator": PLANTED}
        flags = [float(response.is_hallucinated) for response in group]
        yield mean_row(RATE, model, {"unit": "turn", **where}, flags)
        whole = _dialogues(group, n_turns)
        if whole:
            yield mean_row(RATE, model, {"unit": "dialogue", **where}, [flag for (flag,) in whole.values()])
        for n in sorted({n_turns[name] for name in whole}):
            values = [flag for name, (flag,) in whole.items() if n_turns[name] == n]
            yield mean_row(RATE, model, {"unit": "dialogue", **where, "turns": str(n)}, values)


def _differences(tested: Sequence[Response], n_turns: Mapping[str, int]) -> Iterator[dict]:
    """Rate in gold history minus rate in self history, over the dialogues present in both."""
    sides: dict[tuple[str, str], dict[str, list[Response]]] = {}
    for response in tested:
        side = sides.setdefault((response.model, response.temperature), {})
        side.setdefault(response.history, []).append(response)
    for (model, temperature), side in sorted(sides.items()):
        where = {"temperature": temperature, "estimator": PLANTED}
        turns = [_turns(side.get(history, ())) for history in ("gold", SELF)]
        whole = [_dialogues(side.get(history, ()), n_turns) for history in ("gold", SELF)]
        for unit, (gold, record) in (("turn", turns), ("dialogue", whole)):
            both = gold.keys() & record.keys()
            if both:
                gap = _mean(gold, both) - _mean(record, both)
                yield planted_row("gold_minus_self", model, {"unit": unit, **where}, gap, len(both))


def _turns(group: Sequence[Response]) -> dict[str, list[float]]:
    """Whether each turn is hallucinated, 1 or 0, by dialogue."""
    flags: dict[str, list[float]] = {}
    for response in group:
        flags.setdefault(response.group_id, []).append(float(response.is_hallucinated))
    return flags


def _dialogues(group: Sequence[Response], n_turns: Mapping[str, int]) -> dict[str, list[float]]:
    """Whether a dialogue holds a hallucinated turn, of those whose turns are all there."""
    whole = {name: each for name, each in _turns(group).items() if len(each) == n_turns.get(name)}
    return {name: [max(each)] for name, each in sorted(whole.items())}


def _mean(flags: Mapping[str, Sequence[float]], names: Collection[str]) -> float:
    values = [flag for name in sorted(names) for flag in flags[name]]
    return sum(values) / len(values)


def _replies(asked: pl.DataFrame, simulated: Mapping[str, Model]) -> Iterator[dict]:
    """Of each writer and step: that a reply holds no text, and that one that does breaks a rule."""
    groups = asked.group_by("model", "purpose", pair("attributes", "kind"))
    for (alias, step, kind), part in sorted(groups, key=lambda group: tuple(map(str, group[0]))):
        if step in _BROKEN:
            where = {"step": step, "kind": kind}
            lost, rates = _BROKEN[step](simulated[alias])
            yield planted_row("unread_rate", alias, where, lost, part.height)
            n_read = part.filter(pl.col("status") == "ok").height
            for metric, rate in rates.items() if n_read else ():
                yield planted_row(metric, alias, where, rate / (1 - lost), n_read)


def _responding(model: Model) -> tuple[float, dict[str, float]]:
    """That a reply is no response, and that it is one and breaks a rule."""
    failures, manners = model.failures, manners_of(model.name)
    worded = 1 - failures.empty - failures.refusal
    read = worded * (1 - manners.unfinished)
    rates = {
        "too_long_rate": failures.too_long * (1 - manners.unfinished),
        "continued_rate": manners.readable.get(CONTINUED, 0.0) * read,
    }
    return 1 - read, rates


def _inducing(model: Model) -> tuple[float, dict[str, float]]:
    failures, read = model.failures, 1 - manners_of(model.name).unfinished
    rates = {
        "too_long_rate": failures.induced_too_long * read,
        "restated_rate": failures.restated * read,
        "not_located_rate": (failures.unlocated + failures.unsaid + failures.restated) * read,
    }
    return 1 - (1 - failures.declined) * read, rates


def _matching(model: Model) -> tuple[float, dict[str, float]]:
    read = 1 - manners_of(model.name).unfinished
    return 1 - read, {"too_long_rate": model.failures.matched_too_long * read}


_BROKEN = {"respond": _responding, "induce": _inducing, "match": _matching}
