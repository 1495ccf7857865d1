"""Rows of the tiny tables: of a leaderboard, and of texts, replies and verdicts, with what goes without saying."""

from truerate.core import schemas
from truerate.core.schemas import pairs

TABLES = {
    "documents": schemas.Document, "items": schemas.Item, "samples": schemas.Sample, "facts": schemas.Fact,
    "generations": schemas.Generation, "judgements": schemas.Judgement,
}  # fmt: skip


# fmt: off
def leaderboard_row(board, provenance, table, subject, kind, metric, value, *, interval=(None, None), ranks=None, n, where):
    """One row as the leaderboard step writes it; `where` is its slice, `interval` its ends, `ranks` the range it may hold."""
    low, high = ranks or (None, None)
    return {"board": board, "table": table, "subject": subject, "kind": kind, "metric": metric, "slice": pairs(**where),
            "rank_low": low, "rank_high": high, "is_leading": ranks and low == 1 and kind == "model", "value": value,
            "low": interval[0], "high": interval[1], "n": n, "provenance": provenance}
# fmt: on


def ends(value, half, most=1.0):
    """The ends of an interval around a value; none where it is none."""
    return (
        (None, None) if value is None or half is None else (max(0.0, value - half), min(most, value + half))
    )


# fmt: off
def document(name, text, board, **more):
    return {"document_id": name, "lang": "en", "title": "", "text": text, "url": None, "source": board, "licence": "CC0-1.0",
            "dated": None, "is_wikipedia": False} | more


def item(name, board, task, **more):
    return {"item_id": name, "source": board, "task": task, "lang": "en", "group_id": name, "document_ids": [], "history": "",
            "question": "", "right_answer": None, "attributes": []} | more


def sample(name, item_id, task, text, wrong, **more):
    return {"sample_id": name, "item_id": item_id, "pair_id": None, "group_id": item_id, "task": task, "lang": "en", "text": text,
            "is_hallucinated": wrong, "label_source": "gold", "generator": None, "pattern": None, "spans": [], "rationale": None,
            "split": "test", "attributes": []} | more


def generation(name, item_id, purpose, model, text, **more):
    return {"generation_id": name, "item_id": item_id, "purpose": purpose, "model": model, "sample_index": 0, "params": "{}",
            "text": text, "finish_reason": "stop", "status": "ok", "reason": None, "prompt_key": "k", "n_tokens_in": 9,
            "n_tokens_out": 60, "cost_usd": 0.0, "attributes": []} | more


def judgement(name, judge, target, verdict, *, unread=None, **more):
    """`unread`: why the reply of a judge without a verdict could not be read."""
    return {"judgement_id": name, "judge": judge, "judge_version": "1", "target_id": target, "verdict": verdict,
            "status": "unparsed" if verdict is None else "ok", "reason": unread if verdict is None else None, "spans": [],
            "p": None, "rationale": None, "attributes": []} | more
# fmt: on


def span(start, end, kind, p=None):
    return {"start": start, "end": end, "type": kind, "p": p}


def frames(**rows):
    """The tables of these rows, by name."""
    return {name: schemas.frame(TABLES[name], some) for name, some in rows.items()}
