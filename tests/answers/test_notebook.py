"""The example notebook, cell by cell: what a person sees of a rating, a draw and a comparison in Python."""

import ast
import json

import pytest
from house import ROOT

from truerate.core.errors import SettingsError

NOTEBOOK = ROOT / "examples" / "rate.ipynb"


@pytest.fixture(scope="module")
def shown():
    """The last value of each code cell that has one, in order."""
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    names, values = {}, []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        for cell in cells:
            if cell["cell_type"] == "code":
                body = ast.parse("".join(cell["source"])).body
                last = body.pop() if isinstance(body[-1], ast.Expr) else None
                exec(compile(ast.Module(body, []), str(NOTEBOOK), "exec"), names)
                if last is not None:
                    values.append(eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names))
    return values


def test_every_value_says_itself_in_a_line_and_as_html(shown):
    flagged, _, rating, _, _, comparison = shown
    assert repr(flagged).startswith("<Rating: 26.5 % of the 200 answers are flagged; not corrected")
    assert flagged.estimate is None and flagged.table["flagged"][0] == 53 / 200
    low, high = rating.estimate.low, rating.estimate.high
    assert f"{100 * low:.1f} % to {100 * high:.1f} %" in repr(rating) and "<svg" in rating._repr_html_()
    assert repr(comparison).startswith("<Comparison: ") and "<li>" in comparison._repr_html_()


def test_the_draw_says_each_answers_chance(shown):
    rows = shown[1]
    assert rows.columns == ["id", "probability", "weight"]
    assert (rows["probability"] * rows["weight"]).to_list() == [1.0] * 3


def test_the_table_and_the_figure_hold_every_group(shown):
    rating, table, figure = shown[2:5]
    assert table["group"].to_list()[:3] == [None, "alder", "briar"] and table["labelled"][0] == 60
    assert figure.svg.count("<g>") == rating.table.height and figure._repr_svg_() == figure.svg


def test_hostile_names_are_escaped_and_a_figure_is_saved(tmp_path):
    import polars as pl

    import truerate

    rows = pl.DataFrame(
        {"answer": ["A b.", "C d."], "system": ["<img src=x>", "y"], "is_hallucinated": [True, False]}
    )
    rating = truerate.rate(rows)
    assert "<img" not in rating._repr_html_() and "<img" not in rating.plot().svg
    assert rating.plot().save(tmp_path / "rates.svg").read_text("utf-8") == rating.plot().svg
    with pytest.raises(SettingsError, match="margin"):
        truerate.compare(rows, rows, margin=-1)
