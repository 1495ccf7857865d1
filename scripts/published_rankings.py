"""Write results/mushroom/published.csv from the rankings of Mu-SHROOM's teams (Helsinki-NLP/shroom, 2025/iou_rankings.md).

    python scripts/published_rankings.py iou_rankings.md > results/mushroom/published.csv

Baselines and the first team of each language: figures of the test set, which the board's own rows are not of.
"""

import argparse
import csv
import sys
from pathlib import Path

from team_rankings import parse_rankings, published_lines

from truerate.core.errors import TruerateError
from truerate.results.published import COLUMNS, NOTE

SLICE = "lang={lang};split=test"
SOURCE = "Mu-SHROOM, rankings by IoU (Helsinki-NLP/shroom 0f5eba6, 2025/iou_rankings.md)"
WHY = "Of the test set, whose labelled answers are not at hand; the rows here are of the validation set."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rankings", type=Path, help="the organisers' file")
    parser.add_argument("--first", type=int, default=1, help="how many teams of each language")
    options = parser.parse_args()
    try:
        ranked = parse_rankings(options.rankings.read_text("utf-8"), options.rankings.name)
    except (OSError, UnicodeError, TruerateError) as error:
        print(f"published_rankings: {error}", file=sys.stderr)
        sys.exit(2)
    out = csv.DictWriter(sys.stdout, [*COLUMNS, NOTE], lineterminator="\n")
    out.writeheader()
    out.writerows(published_lines(ranked, slice=SLICE, source=SOURCE, note=WHY, first=options.first))


if __name__ == "__main__":
    main()
