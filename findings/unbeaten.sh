#!/usr/bin/env bash
# An arena of three models: A beats B in all 10 battles, B beats C in 7 of 10. Scores are evalica's Bradley-Terry.
# One would guess that an unbeaten model has the highest score, a very large one, or an error: the likelihood has no maximum.
# All three have the score 1e-06: A's win takes B's 7 to 3 over C along, and the ranking is the order of the names. After
# 8 wins of 8 the winner and the loser are equal; with 7 of 8 they are 2.65 and .38. newman calls even 7 of 8 equal.
# Elo and the average win rate put A first.
# Why it matters: a model that never hallucinated in a comparison ends level with the worst. Seen with evalica 0.4.2, November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check evalica==0.4.2 numpy==2.4.6 pandas==3.1.1
cd "$work" && venv/bin/python - <<'PY'
from importlib.metadata import version

import evalica

print("evalica", version("evalica"))
METHODS = (evalica.bradley_terry, evalica.newman, evalica.elo, evalica.average_win_rate)


def scores(*battles):
    """The scores of (winner side, losing side, wins, losses), by method."""
    left, right, outcomes = [], [], []
    for first, second, wins, losses in battles:
        left += [first] * (wins + losses)
        right += [second] * (wins + losses)
        outcomes += [evalica.Winner.X] * wins + [evalica.Winner.Y] * losses
    found = {method.__name__: method(left, right, outcomes).scores for method in METHODS}
    return {name: {model: float(score) for model, score in one.sort_index().items()} for name, one in found.items()}


arenas = {
    "A beats B 7 of 8": scores(("A", "B", 7, 1)),
    "A beats B 8 of 8": scores(("A", "B", 8, 0)),
    "A beats B 10 of 10, B beats C 7 of 10": scores(("A", "B", 10, 0), ("B", "C", 7, 3)),
}
for arena, found in arenas.items():
    print(arena)
    for name, one in found.items():
        print(f"  {name:17}", {model: round(score, 6) for model, score in one.items()})
close, swept, chain = arenas.values()
assert close["bradley_terry"]["A"] > 2 * close["bradley_terry"]["B"], "changed: 7 of 8"
assert set(swept["bradley_terry"].values()) == set(chain["bradley_terry"].values()) == {1e-06}, "changed: unbeaten"
assert len(set(close["newman"].values())) == len(set(chain["newman"].values())) == 1, "changed: newman"
assert all(max(chain[name], key=chain[name].get) == "A" for name in ("elo", "average_win_rate")), "changed: the others"
PY
