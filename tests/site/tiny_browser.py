"""A board whose texts attack the page that shows them, or are in scripts that pages stumble over."""

from tiny_halueval import HOSTILE
from tiny_tables import tiny_tables

from truerate.core import schemas
from truerate.site import Board, Tables

NAME = "browser-board"
LINE = "x" * 1_000_000  # no blank, no line break
ATTACKS = (
    *HOSTILE,
    "<svg/onload=window.__xss=4><iframe srcdoc='<script>parent.__xss=5</script>'></iframe>",
    "{{ config.__class__ }} {% for x in y %}{{ x }}{% endfor %} ${alert(1)} #{7*7} <%= 7*7 %>",
    "]]>');window.__xss=6;//\\u003cscript\\u003e \\x3cscript\\x3e </SCRIPT >",
    "[a](javascript:window.__xss=7 'b') ![c](data:text/html;base64,PHNjcmlwdD4=) <a href=javascript:window.__xss=8>d</a>",
    "\u202e\u2066dnuor yaw gnorw eht\u2069\u202c \u200bzero\u200b \x00 nothing \x1b[31m red",
    "=HYPERLINK(0) +1 -1 @SUM(1)",
    LINE,
    "بُنِيَت منارة فارن عام 1842 على يد إلسه",
    "明日は東京タワーに行く。港の灯台は四十五段ある。",
)


def browser_tables() -> Tables:
    """One board with a record for each attack, told by two judges who differ on every third, and the closed board of the tiny tables."""
    tiny = tiny_tables()
    frames = {"samples": schemas.Sample, "items": schemas.Item, "judgements": schemas.Judgement}
    rows: dict[str, list[dict]] = {name: [] for name in frames}
    for k, text in enumerate(ATTACKS):
        for name, made in _rows(k, text).items():
            rows[name] += made
    board = Board(
        name=NAME,
        track="browser",
        source="attacks",
        title="Texts that attack",
        track_card=tiny.boards[0].track_card,
        source_card={"redistribution": "yes"},
        **{name: schemas.frame(schema, rows[name]) for name, schema in frames.items()},
    )
    return Tables("truerate", (board, tiny.boards[1]), tiny.models, tiny.rows, max_samples=500)


def _rows(k: int, text: str) -> dict[str, list[dict]]:
    is_wrong = k % 2 == 0
    lang = {len(ATTACKS) - 2: "ar", len(ATTACKS) - 1: "ja"}.get(k, "en")
    short = text[:200]
    name = f"attack{k:02d}"
    sample = {
        **{"sample_id": name, "item_id": f"item{k}", "pair_id": None, "group_id": f"item{k}", "task": "qa"},
        **{"lang": lang, "text": text, "is_hallucinated": is_wrong, "label_source": "gold"},
        **{"generator": short if k < 4 else "aster", "pattern": None, "spans": _spans(2, 9, "entity")},
        **{"rationale": short, "split": "test", "attributes": []},
    }
    item = {
        **{"item_id": f"item{k}", "source": "attacks", "task": "qa", "lang": lang, "group_id": f"item{k}"},
        **{"document_ids": [], "history": short, "question": short, "right_answer": None, "attributes": []},
    }
    verdicts = (("elm", is_wrong, 5), ("fir", is_wrong ^ (k % 3 == 0), 12), ("yew", None, 0))
    said = [
        {
            **{"judgement_id": f"{judge}{k}", "judge": judge, "judge_version": "1", "target_id": name},
            **{"verdict": verdict, "status": "unparsed" if verdict is None else "ok", "p": None},
            **{"reason": short if verdict is None else None, "spans": _spans(start, start + 8, "relation")},
            **{"rationale": None, "attributes": []},
        }
        for judge, verdict, start in verdicts
    ]
    return {"samples": [sample], "items": [item], "judgements": said}


def _spans(start: int, end: int, kind: str) -> list[dict]:
    return [{"start": start, "end": end, "type": kind, "p": None}]
