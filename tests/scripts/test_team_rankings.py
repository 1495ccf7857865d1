"""Rankings of teams are read from Markdown, in either order of columns, and what breaks them is one line."""

import pytest

from scripts.team_rankings import parse_rankings, published_lines
from truerate.core.errors import SourceError

BY_IOU = """# Rankings by IoU

## AR

|    | Team name              |      IoU |          ρ |
|---:|:-----------------------|---------:|-----------:|
|  1 | Heron                  | 0.6125   | -0.0200    |
|    | _Baseline (mark all)_  | 0.361    | 0.00666667 |
|  2 | Two Words              | 0.000133 | 0          |
|  | _Baseline (neural)_  | 0.04 | 0.12 |

## ZH

|    | Team name              |      IoU |   ρ |
|---:|:-----------------------|---------:|----:|
|    | _Baseline (mark none)_ | 0        |   1 |
|  1 | Heron                  | 0        | 0.5 |
"""


def test_teams_have_ranks_and_baselines_have_none():
    found = parse_rankings(BY_IOU, "rankings")
    assert [(one.lang, one.rank, one.name) for one in found] == [
        ("ar", 1, "Heron"),
        ("ar", None, "mark-all"),
        ("ar", 2, "Two Words"),
        ("ar", None, "neural"),
        ("zh", None, "mark-none"),
        ("zh", 1, "Heron"),
    ]
    assert found[0].figures == {"iou": "0.6125", "spearman": "-0.0200"}


def test_a_share_is_in_per_cent_at_the_digits_printed_and_a_team_has_its_rank_told():
    lines = published_lines(
        parse_rankings(BY_IOU, "rankings"),
        slice="lang={lang};split=test",
        source="Somebody",
        note="Elsewhere.",
        first=1,
    )
    assert [(one["metric"], one["subject"], one["slice"], one["printed"]) for one in lines[:4]] == [
        ("iou", "Heron", "lang=ar;split=test", "61.25"),
        ("spearman", "Heron", "lang=ar;split=test", "-0.0200"),
        ("iou", "mark-all", "lang=ar;split=test", "36.1"),
        ("spearman", "mark-all", "lang=ar;split=test", "0.00666667"),
    ]
    assert lines[-2]["subject"] == "Heron" and lines[-2]["printed"] == "0"
    assert {one["subject"] for one in lines} == {"Heron", "mark-all", "mark-none", "neural"}
    assert lines[0]["note"] == "Rank 1 of 2 teams. Elsewhere." and lines[2]["note"] == "Elsewhere."
    assert {one["source"] for one in lines} == {"Somebody"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("| Team name              |      IoU |          ρ |", "| Team | IoU | ρ |", "without the columns"),
        ("0.6125", "61.25", "no figure"),
        ("0.6125", "nan", "no figure"),
        ("0.6125", "high", "no figure"),
        ("0.6125   |", "", "has 3 cells"),
        ("|  2 | Two Words ", "|  2 | Heron ", "'Heron' twice in 'ar'"),
        ("|  2 |", "|  b |", "is none"),
        ("mark all", "mark some", "nowhere"),
        (
            "|  1 | Heron                  | 0        |",
            "|    | Heron                  | 0        |",
            "nowhere",
        ),
        ("## ", "### ", "no table of teams"),
    ],
)
def test_a_file_that_is_no_ranking_is_one_line(old, new, said):
    with pytest.raises(SourceError) as caught:
        parse_rankings(BY_IOU.replace(old, new), "rankings")
    assert said in str(caught.value) and "\n" not in str(caught.value)
