"""The replies that are read whole are those that people may be given."""

from truerate.tracks.mfava.steps import drawn_replies
from truerate.tracks.mfava.wild import natural

from .made_scores import reply, tables

ROWS = [
    reply(f"i{k}", model, f"{k}", lang=lang)
    for k in range(6)
    for model in ("small", "large")
    for lang in ("en" if k % 2 else "de",)
] + [
    reply("dead", "small", "", status="dead", reason="timeout"),
    reply("q", "small", "why?", purpose="query"),
]


def names(rows: list[dict]) -> list[str]:
    return sorted(row["generation_id"] for row in rows)


def test_replies_are_drawn_from_columns_as_from_rows():
    whole = tables(generations=ROWS)["generations"]
    came = [row for row in whole.to_dicts() if row["purpose"] == "answer" and row["status"] == "ok"]
    for n in (0, 1, 3, 100):
        drawn = drawn_replies(whole, n=n, seed=7)
        assert names(drawn) == names(natural(came, n, 7))
        assert names(natural(drawn, n, 7)) == names(drawn)  # drawing of them again takes all of them
    assert len(drawn) == 12 and drawn[0] in came
