"""The sample browser's records where a response answers a turn of a dialogue: what was known, the
conversation, the response with the segments of its label, and of each judge the verdict, the segments and the
reason.

A record's labels are `[source, hallucinated, reason]`, people's first; what a judge says is `[who, verdict, why
none, reason, whether the reason is composed]`; the segments of all of them are layers over one response. One
response is one record, whatever samples hold it.
"""

import re
from collections import defaultdict
from itertools import zip_longest

import polars as pl

from truerate.core.schemas import unpaired
from truerate.site.layers import in_order, segments, types_of
from truerate.site.samples_index import JUDGES, coded
from truerate.site.tables import Board, rows_by, texts_of
from truerate.site.vocabulary import Vocabulary

FORM = "located"
FILTERS = (
    ("scenario", "Scenario", "All scenarios"),
    ("lang", "Language", "All languages"),
    ("label", "Label", "Both labels"),
    ("kind", "Kind", "All kinds"),
    ("source", "Labelled by", "Anyone"),
    ("generator", "Written by", "Anyone"),
)
OUTCOMES = (
    ("w", "Judged wrongly", "w"),
    ("p", "Found, but not the segment", "p"),
    ("r", "Judged rightly", "rp"),
    ("u", "No verdict read", "u"),
)
PEOPLE = "gold"
SEGMENT = "hallucinated segment"  # what a marked part is called; a type says no more here
HOW = ("variant", "order")  # attributes of a judgement that say how it was asked
COMPOSED = ("composed", "yes")  # the attribute of a judgement whose reason was put together from its segments
_TURN = re.compile(r"^\[?(Human|User|Assistant|System)\]?:\s*", re.IGNORECASE)
_PERSON = ("human", "user")


def records(board: Board, n_max: int) -> tuple[list[dict], dict]:
    """At most `n_max` records of a board and the index over them."""
    responses = _responses(board)
    kept = chosen(responses, n_max, board.vocabulary)
    said = _said(board, {target for one in kept for target in one["targets"]})
    items = rows_by(board.items, "item_id", [one["item_id"] for one in kept])
    documents = texts_of(board.documents, items)
    entries = [_record(one, items.get(one["item_id"], {}), documents, said=said) for one in kept]
    return entries, _index(entries, len(responses), board)


def _responses(board: Board) -> list[dict]:
    """Every labelled response once: its labels, people's first, and the ids under which it may be judged."""
    found: dict[tuple, dict] = {}
    rows = board.samples.sort(pl.col("label_source") != PEOPLE, "sample_id")
    for row in rows.iter_rows(named=True):
        facts = unpaired(row["attributes"])
        one = found.setdefault(
            (row["item_id"], row["text"], row["generator"]),
            row | {"facts": facts, "labels": [], "targets": set()},
        )
        one["facts"] |= {key: value for key, value in facts.items() if key not in one["facts"]}
        one["labels"].append(row)
        one["targets"] |= {row["sample_id"], facts.get("generation", row["sample_id"])}
        one["is_train"] = one.get("is_train", True) and row["split"] == "train"
    return list(found.values())


def chosen(responses: list[dict], n_max: int, vocabulary: Vocabulary) -> list[dict]:
    """At most `n_max` responses, in turn from each scenario, kind and label by their ids (content hashes);
    those that nothing learned from, and of them those that people labelled, first.
    """
    strata: dict[tuple, list[dict]] = defaultdict(list)
    for one in sorted(responses, key=lambda one: one["sample_id"]):
        is_peoples = any(label["label_source"] == PEOPLE for label in one["labels"])
        strata[one["is_train"], not is_peoples, *_where(one), one["labels"][0]["is_hallucinated"]].append(one)
    turns = [one for turn in zip_longest(*(strata[key] for key in sorted(strata))) for one in turn if one]
    return sorted(turns[:n_max], key=lambda one: _order(one, vocabulary))


def _where(one: dict) -> tuple[str, str]:
    return one["facts"].get("scenario", ""), one["facts"].get("kind", "")


def _order(one: dict, vocabulary: Vocabulary) -> tuple:
    """By scenario, then by dialogue and turn, so that what answers one turn stands together."""
    scenario, kind = _where(one)
    turn = one["facts"].get("turn", "")
    place = int(turn) if turn.isdigit() else 0
    return (
        *vocabulary.sort_key(scenario),
        one["group_id"],
        place,
        *vocabulary.sort_key(kind),
        one["sample_id"],
    )


def conversation(history: str, question: str) -> list[list]:
    """The turns before a response, `[whether a person's, text]`; a line without a speaker belongs to the turn
    before it, or is a person's.
    """
    turns: list[list] = []
    for line in [line for line in history.splitlines() if line.strip()]:
        speaker = _TURN.match(line)
        if speaker or not turns:
            is_person = not speaker or speaker[1].lower() in _PERSON
            turns.append([is_person, line[speaker.end() :] if speaker else line])
        else:
            turns[-1][1] += f"\n{line}"
    return turns + ([[True, question]] if question else [])


def _said(board: Board, targets: set[str]) -> dict[str, list[dict]]:
    """What is said of each target, by whom and how asked, in the order of the judges."""
    found: dict[str, list[dict]] = defaultdict(list)
    rows = board.judgements.filter(pl.col("target_id").is_in(sorted(targets)))
    for row in rows.sort("judge", "judgement_id").iter_rows(named=True):
        facts = unpaired(row["attributes"])
        how = [board.vocabulary.value(key, facts[key]).lower() for key in HOW if key in facts]
        is_composed = facts.get(COMPOSED[0]) == COMPOSED[1]
        found[row["target_id"]].append(
            row | {"who": " · ".join([row["judge"], *how]), "is_composed": is_composed}
        )
    return found


def _layers(labels: list[dict], judgements: dict[str, dict]) -> dict[str, list[dict]]:
    """The segments of each label, by its source, and of each judge that named some."""
    spans = {row["label_source"]: row["spans"] or [] for row in reversed(labels)}
    named = {who: row["spans"] for who, row in sorted(judgements.items()) if row["spans"]}
    return {who: [span | {"type": SEGMENT} for span in found] for who, found in (spans | named).items()}


def _record(one: dict, item: dict, documents: dict[str, str], *, said: dict[str, list[dict]]) -> dict:
    """One record as the page shows it; names with `_` stay in the index."""
    judgements = {row["who"]: row for target in sorted(one["targets"]) for row in said[target]}
    scenario, kind = _where(one)
    label = one["labels"][0]
    layers = _layers(one["labels"], judgements)
    turns = conversation(item.get("history") or "", item.get("question") or "")
    known = [documents[name] for name in item.get("document_ids") or () if name in documents]
    return {
        "id": one["sample_id"],
        "lang": one["lang"],
        "scenario": scenario,
        "kind": kind,
        "by": one["generator"],
        "turn": one["facts"].get("turn"),
        "wrong": label["is_hallucinated"],
        "labels": [[row["label_source"], row["is_hallucinated"], row["rationale"]] for row in one["labels"]],
        "layers": list(layers),
        "text": segments(one["text"], list(layers.values())),
        "turns": turns,
        "knowledge": "\n\n".join(known),
        "said": [
            [who, row["verdict"], row["reason"], row["rationale"], row["is_composed"]]
            for who, row in sorted(judgements.items())
        ],
        "_search": [one["sample_id"], one["text"], *(text for _, text in turns), *known],
        "_outcome": {who: outcome(row, label) for who, row in judgements.items()},
    }


def outcome(judgement: dict, label: dict) -> str:
    """One letter: r(ight), w(rong), u(nread); p where a hallucination is found, but no segment that was named
    is one of the label's.
    """
    if judgement["verdict"] is None:
        return "u"
    if judgement["verdict"] != label["is_hallucinated"]:
        return "w"
    named, true = judgement["spans"] or (), label["spans"] or ()
    is_met = any(max(a["start"], b["start"]) < min(a["end"], b["end"]) for a in named for b in true)
    return "p" if named and true and not is_met else "r"


def _index(entries: list[dict], n_all: int, board: Board) -> dict:
    values = {
        "scenario": [entry["scenario"] for entry in entries],
        "lang": [entry["lang"] or "" for entry in entries],
        "label": ["hallucinated" if entry["wrong"] else "right" for entry in entries],
        "kind": [entry["kind"] for entry in entries],
        "source": [[source for source, *_ in entry["labels"]] for entry in entries],
        "generator": [entry["by"] or "" for entry in entries],
    }
    judges = sorted({who for entry in entries for who in entry["_outcome"]})
    return {
        "form": FORM,
        "n": len(entries),
        "n_all": n_all,
        "unit": "labelled responses",
        "ids": [entry["id"] for entry in entries],
        "types": sorted({kind for entry in entries for kind in types_of(entry["text"])}),
        "layers": in_order(name for entry in entries for name in entry["layers"]),
        "filters": [list(one) for one in FILTERS],
        "columns": {name: coded(name, values[name], board.vocabulary) for name, *_ in FILTERS},
        "judged": list(JUDGES),
        "outcomes": [list(one) for one in OUTCOMES],
        "judges": {who: "".join(entry["_outcome"].get(who, "-") for entry in entries) for who in judges},
    }
