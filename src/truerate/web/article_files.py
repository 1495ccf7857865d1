"""The files of fetched articles, written language by language, so that what came stays.

Until a run ends, `unfinished.json` says what it fetches and which languages it has: a rerun asks for the
others.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

ARTICLES, LEFT_OUT, UNFINISHED = "articles.jsonl", "left_out.jsonl", "unfinished.json"


class ArticleFiles:
    """Write the files of one folder; `done` are the languages of an unfinished run of the same `wanted`."""

    def __init__(self, folder: Path, languages: Sequence[str], wanted: str):
        self.folder, self.languages, self.wanted = folder, languages, wanted
        done = self._begun()
        self.taken: dict[str, list[dict]] = {lang: [] for lang in languages if lang in done}
        self.left: dict[str, list[dict]] = {lang: [] for lang in self.taken}
        for rows_by_lang, file in ((self.taken, ARTICLES), (self.left, LEFT_OUT)) if done else ():
            for row in (orjson.loads(line) for line in (folder / file).read_bytes().split(b"\n") if line):
                if row["lang"] in rows_by_lang:
                    rows_by_lang[row["lang"]].append(row)

    @property
    def done(self) -> Mapping[str, int]:
        """The number of articles of each language that is there."""
        return {lang: len(self.taken[lang]) for lang in self.languages if lang in self.taken}

    def add(self, lang: str, rows: list[dict], left: list[dict]) -> None:
        """One more language: its articles, and what was not taken."""
        self.taken[lang], self.left[lang] = rows, left
        self.folder.mkdir(parents=True, exist_ok=True)
        pinned = "".join(f"{row['title']}\t{row['revid']}\n" for row in rows)
        _replace(self.folder / f"titles.{lang}.tsv", pinned.encode())
        for rows_by_lang, file in ((self.taken, ARTICLES), (self.left, LEFT_OUT)):
            lines = (orjson.dumps(row) + b"\n" for name in self.done for row in rows_by_lang[name])
            _replace(self.folder / file, b"".join(lines))
        state = {"wanted": self.wanted, "languages": list(self.done)}
        _replace(self.folder / UNFINISHED, json.dumps(state).encode())

    def end(self) -> None:
        """Everything that was wanted is there."""
        (self.folder / UNFINISHED).unlink(missing_ok=True)

    def _begun(self) -> set[str]:
        try:
            state = json.loads((self.folder / UNFINISHED).read_text("utf-8"))
        except (OSError, ValueError):
            return set()
        is_same = isinstance(state, dict) and state.get("wanted") == self.wanted
        return set(state.get("languages", ())) if is_same else set()


def _replace(path: Path, content: bytes) -> None:
    """A file appears whole, or stays as it was."""
    aside = path.with_name(f"{path.name}.tmp")
    aside.write_bytes(content)
    os.replace(aside, path)
