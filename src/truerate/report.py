"""What the terminal shows of built tables: boards, lines of a board, its audit, the sources, the page and how to serve it."""

import functools
import http.server
import json
import sys
from importlib import import_module
from pathlib import Path

import polars as pl

from truerate.errors import TruerateError
from truerate.layout import Layout
from truerate.schemas import Row, Score, load, read_json


def show_boards(at: Layout, *, as_json: bool) -> None:
    """Every declared board with its track and source, and the best ranked subjects where it is built."""
    lines = [
        {"board": name, "track": board.track, "source": board.source, "leads": _leaders(at, name)} for name, board in at.p.boards.items()
    ]
    show_table(pl.DataFrame(lines, schema={key: pl.String for key in ("board", "track", "source", "leads")}), as_json=as_json)


def _leaders(at: Layout, board: str) -> str:
    """Who may be first, per task or language: the subjects whose rank range begins at 1 in what the track's card ranks."""
    if not Path(at.leaderboard("rows")).is_file():
        return "not built; run `dvc repro`"
    ranked = import_module(f"truerate.tracks.{at.p.board(board).track}.card").CARD["ranks"]
    first = load(Row, at.leaderboard("rows")).filter(board=board, metric=ranked["metric"], rank_low=1)
    found: dict[str, list[str]] = {}
    for subject, slice_ in first.select("subject", "slice").rows():
        where = {one["key"]: one["value"] for one in slice_}
        if ranked["slice"].items() <= where.items():
            rest = [value for key, value in where.items() if key not in ranked["slice"]]
            found.setdefault(", ".join(rest) or "all", []).append(subject)
    return "; ".join(f"{where}: {', '.join(sorted(names))}" for where, names in sorted(found.items())) or "nothing ranked"


def show_board(at: Layout, name: str, *, as_json: bool) -> None:
    """The lines of one board: subject, metric, slice, rank range, value, interval, n."""
    at.p.board(name)
    rows = load(Row, at.leaderboard("rows")).filter(board=name)
    if rows.is_empty():
        raise TruerateError(f"board {name!r} has no rows yet; run `dvc repro`")
    shown = rows.select("table", "subject", "kind", "metric", slice=_slice(), ranks=_range(), value="value", low="low", high="high", n="n")
    show_table(shown, as_json=as_json)


def show_audit(at: Layout, name: str, *, as_json: bool) -> None:
    """The shortcut audit of one board: which trivial classifiers tell the labels, and how well."""
    if not Path(at.audit(name)).is_file():
        raise TruerateError(f"board {name!r} is not audited yet; run `dvc repro`")
    scores = load(Score, at.audit(name)).sort("value", descending=True, nulls_last=True)
    show_table(scores.select("metric", "subject", "value", "low", "high", "n", slice=_slice()), as_json=as_json)


def show_sources(at: Layout, *, as_json: bool) -> None:
    """Each source with its licence, what may be republished, and how many rows it gave."""
    lines = []
    for name, source in at.p.sources.items():
        place = Path(at.source(name, "card.json"))
        card = read_json(place) if place.is_file() else {}
        origin = f"{source.hub.repo}@{source.hub.revision[:12]}" if source.hub else source.path
        state = json.dumps(card["counts"]) if card else "not imported; run `dvc repro sources`"
        lines.append({"source": name, "reader": source.reader, "from": origin, "licence": card.get("licence", "–"), "rows": state})
    show_table(pl.DataFrame(lines), as_json=as_json)


def _slice() -> pl.Expr:
    element = pl.element().struct
    return pl.col("slice").list.eval(element.field("key") + "=" + element.field("value")).list.join(" ")


def _range() -> pl.Expr:
    low, high = pl.col("rank_low").cast(pl.String), pl.col("rank_high").cast(pl.String)
    return pl.when(pl.col("rank_low") == pl.col("rank_high")).then(low).otherwise(low + "–" + high)


def show_table(table: pl.DataFrame, *, as_json: bool) -> None:
    """Print a frame as JSON records, or as an aligned table with a dash for what is missing."""
    if as_json:
        print(json.dumps(table.to_dicts(), ensure_ascii=False, indent=1))
        return
    cells = [[_cell(value) for value in row] for row in table.iter_rows()]
    widths = [max(map(len, column)) for column in zip(table.columns, *cells, strict=True)]
    for line in [table.columns, *cells]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def write_between(path: Path, name: str, text: str) -> None:
    """Replace what stands between `<!-- name -->` and `<!-- /name -->` in a file. Raises TruerateError where it has no such markers."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    page = path.read_text("utf-8")
    if begin not in page or end not in page:
        raise TruerateError(f"{str(path)!r} has no markers {begin} … {end}; add them where the text should stand")
    before, rest = page.split(begin, 1)
    path.write_text(f"{before}{begin}\n{text}\n{end}{rest.split(end, 1)[1]}", "utf-8")


def where(at: Layout) -> None:
    """Print the path of the built page and how to serve it."""
    print(f"\nThe leaderboard is built: {_page(at)}\nOpen that file in a browser, or run: .venv/bin/truerate serve")


def _page(at: Layout) -> Path:
    page = Path(at.p.paths.site).absolute() / "index.html"
    if not page.is_file():
        raise TruerateError(f"no page at {str(page)!r} yet; run `make demo` or `dvc repro`")
    return page


def serve(at: Layout, port: int) -> None:
    """Serve the built site on loopback until interrupted."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(_page(at).parent))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except (OSError, OverflowError) as error:
        raise TruerateError(f"serving on port {port}: {error}; choose another with --port") from None
    print(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C ends it)", file=sys.stderr)
    with server:
        server.serve_forever()
