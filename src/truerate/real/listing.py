"""The public sets that boards can be built of: where each comes from, what its board shows, what of it is missing here."""

from pathlib import Path

from truerate.config.data import PublicData
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError, listed
from truerate.real.sets import LEFT_OUT, card_of, folder_of, names_of, set_of, unproven_of

GITHUB = "https://github.com/"


def sets_in(at: Layout, data: Path | None) -> list[dict]:
    """The sets of `public_data` in params.yaml, in its order, one row a set and not a board: `name` (its folder), `title`,
    `url`, `repository`, `folders` (names that are looked for), `licence`, `redistribution`, `labelled_by`, `boards`
    ({board, title, track, part}), `unproven` (what was read on made-up files alone), and, where `data` is a folder, `found`
    (null: not there), `missing` (what of the set that folder does not hold) and `unread` (files
    among its own whose names are none of the set).

    Raises TruerateError where `data` is no folder.
    """
    if data is not None and not data.is_dir():
        raise TruerateError(f"public files: {str(data)!r} is no folder; name the one that your sets lie in")
    by_set: dict[tuple[str, str], dict[str, PublicData]] = {}
    for name, entry in at.p.public_data.items():
        by_set.setdefault((entry.reader, entry.folder), {})[name] = entry
    return [_row(entries, data) for entries in by_set.values()]


def _row(entries: dict[str, PublicData], data: Path | None) -> dict:
    first = next(iter(entries.values()))
    card, public = card_of(first.reader), set_of(first.reader)
    row = {
        "name": first.folder,
        "title": card.get("name") or first.folder,
        "url": card.get("url") or (GITHUB + public.repository if public else None),
        "repository": public.repository if public else None,
        "folders": list(names_of(first.model_dump())),
        "licence": card.get("licence"),
        "redistribution": card.get("redistribution"),
        "labelled_by": public.labelled_by if public else card.get("labelled_by"),
        "boards": [
            {"board": name, "title": entry.title or name, "track": entry.track, "part": entry.part}
            for name, entry in entries.items()
        ],
        "unproven": list(unproven_of(first.reader, first.folder)),
    }
    return row if data is None else row | _here(entries, data)


def _here(entries: dict[str, PublicData], data: Path) -> dict:
    """What a folder holds of a set: `found`, the folder of each of its boards that is there, `missing` and `unread`."""
    first = next(iter(entries.values()))
    public = set_of(first.reader)
    places = [place for entry in entries.values() if (place := folder_of(data, entry.model_dump()))]
    found = str(data / places[0]) if places else None
    missing = public.missing(data / places[0]) if public and places else list(public.holds if public else [])
    unread = public.unread(data / places[0]) if public and places else []
    return {"found": found, "missing": missing, "unread": unread}


def lines_of(rows: list[dict]) -> list[str]:
    """The sets as lines for a person, and those that are left out with the reason."""
    lines = []
    for row in rows:
        where = {} if "found" not in row else {"here": row["found"] or "not here"}
        missing = ", ".join(row.get("missing", [])) if row.get("found") else ""
        told = {
            "from": row["url"] or "–",
            "folder": " | ".join(row["folders"]),
            **where,
            "missing here": missing,
            "not read here": listed(row["unread"]) if row.get("unread") else "",
            "licence": f"{row['licence'] or 'not stated'} (texts may be passed on: {row['redistribution'] or 'no'})",
            "labelled by": row["labelled_by"] or "see its card",
            "read on made-up files only": ", ".join(row["unproven"]),
        }
        lines.append(row["title"])
        lines += [f"  {board['board']}: {board['title']}" for board in row["boards"]]
        lines += [f"    {name}: {value}" for name, value in told.items() if value]
    return [
        *lines,
        "left out",
        *(f"  {name} ({repository}): {reason}" for (name, repository), reason in LEFT_OUT.items()),
    ]
