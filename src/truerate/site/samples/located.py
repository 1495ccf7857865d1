"""Records of responses that answer a turn of a dialogue: what was known, the conversation, the response with
the segments of its label, and of each judge the verdict, the segments and the reason.

A record's labels are `[source, hallucinated, reason]`, people's first; what a judge says is `[who, verdict,
why none, reason, whether the reason is composed]`; the segments of all of them are layers over one response.
One response is one record, whatever samples hold it.
"""

import re
from collections import defaultdict
from itertools import islice

import polars as pl

from truerate.core.schemas import unpaired
from truerate.site.samples.index import Index, in_turn
from truerate.site.samples.layers import in_order, segments, types_of
from truerate.site.tables import Board, known_texts, rows_by, texts_of
from truerate.site.vocabulary import Vocabulary

PEOPLE = "gold"
SEGMENT = "hallucinated segment"  # what a marked part is called; a type says no more here
HOW = ("variant", "order")  # attributes of a judgement that say how it was asked
_TURN = re.compile(r"^\[?(Human|User|Assistant|System)\]?:\s*", re.IGNORECASE)
_PERSON = ("human", "user")


def records(board: Board, n_max: int) -> tuple[list[dict], dict]:
    """At most `n_max` records of a board and the index over them."""
    responses = _responses(board)
    kept = chosen(responses, n_max, board.vocabulary)
    judgements = _judgements(board, {target for response in kept for target in response["targets"]})
    items = rows_by(board.items, "item_id", [response["item_id"] for response in kept])
    documents = texts_of(board.documents, items)
    entries = [_record(row, items.get(row["item_id"], {}), documents, judgements) for row in kept]
    index = Index("located")
    index.add(entries)
    types = sorted({kind for entry in entries for kind in types_of(entry["text"])})
    layers = in_order(name for entry in entries for name in entry["layers"])
    return entries, index.as_dict(board.vocabulary, n_all=len(responses), types=types, layers=layers)


def _responses(board: Board) -> list[dict]:
    """Every labelled response once: its labels, people's first, and the ids under which it may be judged."""
    responses: dict[tuple, dict] = {}
    rows = board.samples.sort(pl.col("label_source") != PEOPLE, "sample_id")
    for row in rows.iter_rows(named=True):
        facts = unpaired(row["attributes"])
        key, blank = (row["item_id"], row["text"], row["generator"]), {"labels": [], "targets": set()}
        response = responses.setdefault(key, row | blank | {"facts": facts})
        response["facts"] |= {key: value for key, value in facts.items() if key not in response["facts"]}
        response["labels"].append(row)
        response["targets"] |= {row["sample_id"], facts.get("generation", row["sample_id"])}
        response["is_train"] = response.get("is_train", True) and row["split"] == "train"
    return list(responses.values())


def chosen(responses: list[dict], n_max: int, vocabulary: Vocabulary) -> list[dict]:
    """At most `n_max` responses, in turn from each scenario, kind and label by their ids (content hashes);
    those that nothing learned from, and of them those that people labelled, first. By scenario, then by
    dialogue and turn, so that what answers one turn stands together.
    """
    strata: dict[tuple, list[dict]] = defaultdict(list)
    for response in sorted(responses, key=lambda response: response["sample_id"]):
        is_peoples = any(label["label_source"] == PEOPLE for label in response["labels"])
        is_wrong = response["labels"][0]["is_hallucinated"]
        strata[response["is_train"], not is_peoples, *_where(response), is_wrong].append(response)

    def position(response: dict) -> tuple:
        turn = response["facts"].get("turn", "")
        scenario, kind = map(vocabulary.sort_key, _where(response))
        number = int(turn) if turn.isdigit() else 0
        return (*scenario, response["group_id"], number, *kind, response["sample_id"])

    return sorted(islice(in_turn(strata), n_max), key=position)


def _where(response: dict) -> tuple[str, str]:
    return response["facts"].get("scenario", ""), response["facts"].get("kind", "")


def conversation(history: str, question: str) -> list[list]:
    """Return the turns before a response, `[whether a person's, text]`; other lines continue a turn."""
    turns: list[list] = []
    for line in [line for line in history.splitlines() if line.strip()]:
        speaker = _TURN.match(line)
        if speaker or not turns:
            is_person = not speaker or speaker[1].lower() in _PERSON
            turns.append([is_person, line[speaker.end() :] if speaker else line])
        else:
            turns[-1][1] += f"\n{line}"
    return turns + ([[True, question]] if question else [])


def _judgements(board: Board, targets: set[str]) -> dict[str, list[dict]]:
    """Return the judgements of each target, with who judged and how asked, in the judges' order."""
    by_target: dict[str, list[dict]] = defaultdict(list)
    rows = board.judgements.filter(pl.col("target_id").is_in(sorted(targets)))
    for row in rows.sort("judge", "judgement_id").iter_rows(named=True):
        facts = unpaired(row["attributes"])
        how = [board.vocabulary.value(key, facts[key]).lower() for key in HOW if key in facts]
        # `composed`: a reason that was put together from its segments
        shown = {"who": " · ".join([row["judge"], *how]), "is_composed": facts.get("composed") == "yes"}
        by_target[row["target_id"]].append(row | shown)
    return by_target


def _layers(labels: list[dict], judgements: dict[str, dict]) -> dict[str, list[dict]]:
    """The segments of each label, by its source, and of each judge that named some."""
    labelled = {row["label_source"]: row["spans"] or [] for row in reversed(labels)}
    judged = {who: row["spans"] for who, row in sorted(judgements.items()) if row["spans"]}
    return {who: [span | {"type": SEGMENT} for span in spans] for who, spans in (labelled | judged).items()}


def _record(response: dict, item: dict, documents: dict[str, str], by_target: dict[str, list[dict]]) -> dict:
    """One record as the page shows it; names with `_` stay in the index."""
    judgements = {row["who"]: row for target in sorted(response["targets"]) for row in by_target[target]}
    scenario, kind = _where(response)
    labels = response["labels"]
    layers = _layers(labels, judgements)
    turns = conversation(item.get("history") or "", item.get("question") or "")
    knowledge = known_texts(item, documents)
    return {
        "id": response["sample_id"],
        "lang": response["lang"],
        "scenario": scenario,
        "kind": kind,
        "by": response["generator"],
        "turn": response["facts"].get("turn"),
        "wrong": labels[0]["is_hallucinated"],
        "labels": [[row["label_source"], row["is_hallucinated"], row["rationale"]] for row in labels],
        "layers": list(layers),
        "text": segments(response["text"], list(layers.values())),
        "turns": turns,
        "knowledge": "\n\n".join(knowledge),
        "said": [
            [who, row["verdict"], row["reason"], row["rationale"], row["is_composed"]]
            for who, row in sorted(judgements.items())
        ],
        "_search": [response["sample_id"], response["text"], *(text for _, text in turns), *knowledge],
        "_label": "hallucinated" if labels[0]["is_hallucinated"] else "right",
        "_sources": [row["label_source"] for row in labels],
        "_outcome": {who: outcome(row, labels[0]) for who, row in judgements.items()},
    }


def outcome(judgement: dict, label: dict) -> str:
    """Return r(ight), w(rong), u(nread), or p: hallucinated, but no named segment is a labelled one."""
    if judgement["verdict"] is None:
        return "u"
    if judgement["verdict"] != label["is_hallucinated"]:
        return "w"
    named, true = judgement["spans"] or (), label["spans"] or ()
    is_met = any(max(a["start"], b["start"]) < min(a["end"], b["end"]) for a in named for b in true)
    return "p" if named and true and not is_met else "r"
