"""The made-up result as a committed board, beside the committed settings."""

import shutil
from pathlib import Path

from committed import ROOT
from results_made import BOARD, card, result

from truerate.config.layout import Layout
from truerate.core.schemas import pairs
from truerate.results.exchange.outgoing import Outgoing, outgoing
from truerate.results.files import Result, save_result
from truerate.results.recompute import recomputed

MODELS = """\
makers:
  Alder Labs: [alder]
models:
  - {name: aster, maker: Alder Labs, weights: open}
not_models:
  - {name: cedar, boards: [made-up], why: replies of people}
"""


def committed(folder: Path, monkeypatch, *, models: str = "", **changed) -> Outgoing:
    """The board as it goes out of a folder with `results/`; `changed`: of its card."""
    monkeypatch.chdir(folder)
    shutil.copy(ROOT / "params.yaml", "params.yaml")
    whole = result()
    whole = whole.model_copy(update={"card": card(**changed)})
    save_result(whole, Path("results") / BOARD)
    if models:
        Path("results/models.yaml").write_text(models, "utf-8")
    return outgoing(Layout.load(), BOARD)


def of_tasks(folder: Path, monkeypatch) -> Outgoing:
    """The same with its units parted into two tasks, which it ranks apart."""
    rows = result().rows
    kinds = dict.fromkeys(rows["subject"].unique(), "model")
    sliced = [
        row | {"slice": pairs(task="qa" if int(row["unit_id"][1:]) < 5 else "dialogue")}
        for row in rows.to_dicts()
    ]
    parted = rows.clear().vstack(type(rows)(sliced, schema=rows.schema))
    whole = Result(card=card(), scores=recomputed(parted, card(), kinds), rows=parted)
    monkeypatch.chdir(folder)
    shutil.copy(ROOT / "params.yaml", "params.yaml")
    save_result(whole, Path("results") / BOARD)
    return outgoing(Layout.load(), BOARD)
