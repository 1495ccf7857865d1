"""What the terminal shows of built tables: boards, their lines and audits, sources, and the page."""

import functools
import gzip
import http.server
import io
import mimetypes
import sys
from pathlib import Path
from typing import BinaryIO

import polars as pl

from truerate.config import Source
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError, listed
from truerate.core.process.display import show_table
from truerate.core.schemas import Row, Score, load, read_json, unanswered, unpaired
from truerate.pipeline.repair.imported import change_note
from truerate.pipeline.tracks import card_of, records_of


def show_boards(config: Layout, *, as_json: bool) -> None:
    """Every declared board with its track and source, and the best ranked subjects where it is built."""
    lines = [
        {"board": name, "track": board.track, "source": board.source, "leads": _leaders(config, name)}
        for name, board in config.p.boards.items()
    ]
    show_table(
        pl.DataFrame(lines, schema={key: pl.String for key in ("board", "track", "source", "leads")}),
        as_json=as_json,
    )


def _leaders(config: Layout, board: str) -> str:
    """Return who may be the best, per task or language, in what the card ranks: one model alone leads nothing."""
    if not Path(config.leaderboard("rows")).is_file():
        return "not built; run `dvc repro`"
    ranked = card_of(config, board).ranks
    first = load(Row, config.leaderboard("rows")).filter(board=board, metric=ranked.metric, is_leading=True)
    by_slice: dict[str, list[str]] = {}
    for subject, slice_ in first.select("subject", "slice").rows():
        where = unpaired(slice_)
        if ranked.slice.items() <= where.items():
            rest = [value for key, value in where.items() if key not in ranked.slice]
            by_slice.setdefault(", ".join(rest) or "all", []).append(subject)
    return (
        "; ".join(f"{where}: {', '.join(sorted(names))}" for where, names in sorted(by_slice.items()))
        or "nothing ranked"
    )


def show_board(config: Layout, name: str, *, as_json: bool, table: str | None = None) -> None:
    """The lines of one board, or of one `table` of it: subject, metric, slice, rank range (or that the
    subject never answered), value, interval, n, which way is better.
    """
    records = records_of(config, name)
    rows = load(Row, config.leaderboard("rows")).filter(board=name)
    if rows.is_empty():
        raise TruerateError(f"board {name!r} has no rows yet; run `dvc repro`")
    if table is not None:
        tables = rows["table"].unique(maintain_order=True)
        if table not in tables:
            raise TruerateError(f"board {name!r} has no table {table!r}; its tables: {listed(tables)}")
        rows = rows.filter(table=table)
    named_rows = [row | {"slice": unpaired(row["slice"])} for row in rows.to_dicts()]
    ranks = (
        pl.when(pl.Series(unanswered(named_rows), dtype=pl.Boolean))
        .then(pl.lit("no answers"))
        .otherwise(_range())
    )
    shown = rows.select(
        "table",
        "subject",
        "kind",
        "metric",
        slice=_slice(),
        ranks=ranks,
        value="value",
        low="low",
        high="high",
        n="n",
        better=pl.col("metric").replace_strict(
            {metric: record.direction or None for metric, record in records.items()},
            default=None,
            return_dtype=pl.String,
        ),
    )
    show_table(shown, as_json=as_json)


def show_metrics(config: Layout, name: str, *, as_json: bool) -> None:
    """What each metric of one board is: its record, in the order in which its track tells of them."""
    table = pl.DataFrame(
        [record.facts() for record in records_of(config, name).values()], infer_schema_length=None
    )
    show_table(table, as_json=as_json)


def show_audit(config: Layout, name: str, *, as_json: bool) -> None:
    """The shortcut audit of one board: which trivial classifiers tell the labels, and how well."""
    if not Path(config.audit(name)).is_file():
        raise TruerateError(f"board {name!r} is not audited yet; run `dvc repro`")
    scores = load(Score, config.audit(name)).sort("value", descending=True, nulls_last=True)
    show_table(
        scores.select("metric", "subject", "value", "low", "high", "n", slice=_slice()), as_json=as_json
    )


def show_sources(config: Layout, *, as_json: bool) -> None:
    """Each source: its reader, where it comes from, at which revision, its licence, what may be republished,
    its rows, what is missing.
    """
    lines = []
    for name, source in config.p.sources.items():
        path = Path(config.source(name, "card.json"))
        card = read_json(path) if path.is_file() else {}
        facts = {
            "licence": card.get("licence"),
            "redistribution": card.get("redistribution"),
            "rows": _rows(card.get("counts", {})),
        }
        absent = _absent(source, card)
        if not card and name in config.p.used_sources():
            absent.append("not imported; run `dvc repro sources`")
        elif not card:
            absent.append("not imported, as no board reads it: name it under `boards`")
        if card and not absent and (note := change_note(config, name)):
            absent = [note]
        revision = source.hub.revision[: None if as_json else 12] if source.hub else None
        line = {
            "source": name,
            "reader": source.reader,
            "from": _origin(source),
            "revision": revision if as_json else (revision or "")[:12],
        }
        lines.append(line | facts | {"missing": "; ".join(absent) or None})
    shown = ("source", "reader", "from", "revision", "licence", "redistribution", "rows", "missing")
    show_table(pl.DataFrame(lines, schema=dict.fromkeys(shown, pl.String)), as_json=as_json)


def show_readers(*, as_json: bool) -> None:
    """Each reader with what its card says of its data: name, licence, what may be republished, address."""
    from truerate.sources.registry import card_of, readers

    lines, fields = [], ("name", "licence", "redistribution", "url")
    for reader in readers():
        card = card_of(reader)
        lines.append({"reader": reader} | {field: card.get(field) for field in fields})
    show_table(pl.DataFrame(lines, infer_schema_length=None), as_json=as_json)


def _origin(source: Source) -> str:
    """A folder, or a data set of the Hub with the config and split that are read."""
    if source.hub is None:
        return source.path or ""
    return " ".join([source.hub.repo, *(part for part in (source.hub.config, source.hub.split) if part)])


def _rows(counts: dict[str, int]) -> str | None:
    """Return how many rows each table got, those that got none left out; None where nothing was imported."""
    tables = ("documents", "items", "samples", "judgements", "rejects")
    return ", ".join(f"{counts[f'n_{table}']} {table}" for table in tables if counts.get(f"n_{table}")) or (
        "none" if counts else None
    )


def _absent(source: Source, card: dict) -> list[str]:
    """Return what of a source's files is not there: the Hub is not asked, and no command is run."""
    if source.hub:
        from truerate.sources.hub.dataset import state

        absent = [state(source.hub)]
    else:
        folder = Path(source.path).expanduser()
        if folder.is_file():
            absent = []
        elif folder.is_dir():
            gone = [file["file"] for file in card.get("files", []) if not any(folder.glob(file["file"]))]
            absent = [f"files not there: {listed(gone)}"] if gone else []
        else:
            absent = [f"folder not {'made yet' if source.make else 'there'}: {source.path}"]
    if source.training and not Path(source.training.path).expanduser().is_dir():
        absent.append(f"folder to learn from not there: {source.training.path}")
    return [line for line in absent if line]


def _slice() -> pl.Expr:
    element = pl.element().struct
    return pl.col("slice").list.eval(element.field("key") + "=" + element.field("value")).list.join(" ")


def _range() -> pl.Expr:
    low, high = pl.col("rank_low").cast(pl.String), pl.col("rank_high").cast(pl.String)
    return pl.when(pl.col("rank_low") == pl.col("rank_high")).then(low).otherwise(low + "–" + high)


def where(config: Layout) -> None:
    """Print the path of the built page and how to serve it."""
    page = _page(config)
    print(
        f"\nThe leaderboard is built: {page}\nOpen that file in a browser, or run: .venv/bin/truerate serve"
    )


def _page(config: Layout) -> Path:
    page = Path(config.p.paths.site).absolute() / "index.html"
    if not page.is_file():
        raise TruerateError(f"no page at {str(page)!r} yet; run `make demo` or `dvc repro`")
    return page


class Compressed(http.server.SimpleHTTPRequestHandler):
    """Files of a folder, those of text compressed, as hosts of sites send them: a page is a tenth of its bytes."""

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        file = Path(self.translate_path(self.path))
        kind = mimetypes.guess_type(file)[0] or ""
        is_text = kind.startswith("text/") or kind.endswith(("javascript", "json", "xml"))
        if not is_text or not file.is_file() or "gzip" not in self.headers.get("Accept-Encoding", ""):
            return super().send_head()
        packed = gzip.compress(file.read_bytes(), compresslevel=6, mtime=0)
        self.send_response(200)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Encoding", "gzip"),
            ("Content-Length", len(packed)),
        ):
            self.send_header(name, str(value))
        self.end_headers()
        return io.BytesIO(packed)


def serve(config: Layout, port: int) -> None:
    """Serve the built site on loopback until interrupted."""
    handler = functools.partial(Compressed, directory=str(_page(config).parent))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except (OSError, OverflowError) as error:
        raise TruerateError(f"serving on port {port}: {error}; choose another with --port") from None
    print(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C ends it)", file=sys.stderr)
    with server:
        server.serve_forever()
