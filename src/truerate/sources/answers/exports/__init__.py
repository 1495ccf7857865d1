"""Files that other tools write, as they lie: told by what is in them, read into records of answers."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from truerate.core.errors import SourceError
from truerate.sources.answers.exports import (
    data_folders,
    deepeval,
    every_eval,
    inspect_logs,
    label_studio,
    lm_eval,
    promptfoo,
    runs,
    tables,
    traces,
)
from truerate.sources.answers.exports.contents import Content, content_of, unreadable
from truerate.sources.answers.exports.records import Export, joined
from truerate.sources.answers.forms import named, within

READERS: tuple[tuple[str, Callable[[Content], Export | None]], ...] = (
    ("Inspect", inspect_logs.of_json),
    ("lm-evaluation-harness", lm_eval.of_samples),
    ("lm-evaluation-harness", lm_eval.of_results),
    ("Every Eval Ever", every_eval.of_instances),
    ("Every Eval Ever", every_eval.of_aggregate),
    ("DeepEval", deepeval.of_run),
    ("DeepEval", deepeval.of_goldens),
    ("Label Studio", label_studio.of_tasks),
    ("Label Studio", label_studio.of_rows),
    ("Langfuse", traces.LANGFUSE.read),
    ("Phoenix", traces.PHOENIX.read),
    ("TruLens", tables.of_trulens),
    ("RAGAS", tables.of_ragas),
    ("promptfoo", promptfoo.of_csv),
    ("promptfoo", promptfoo.of_results),
    ("UQLM", tables.of_uqlm),
    *runs.READERS,
    ("datasets", data_folders.of_table),
)


def read_export(path: Path, content: bytes) -> Export | None:
    """The answers in a file (or a folder of `datasets`, without content) that another tool wrote, told by
    what is in it; None where no tool that is known did. Files that belong together are looked for beside it.

    Raises SourceError, one line, for a file of a tool in which answers are missing, with where they are.
    """
    if path.is_dir():
        return data_folders.of_folder(path)
    if (export := inspect_logs.of_zip(path, content)) is not None:
        return export
    text = content_of(path, content)
    return None if text is None else _read(text)


def read_frame(frame: pl.DataFrame) -> Export | None:
    """The answers in a table in memory that another tool made; None where no tool that is known did."""
    return _read(Content(Path("-"), frame=frame))


def _read(content: Content) -> Export | None:
    contents = [content]
    if content.document is not None and (rows := within(content.document))[0][1] is not content.document:
        contents.append(Content(content.path, records=[row for _, row in rows]))  # {"data": […]}
    for each in contents:
        for tool, read in READERS:
            try:
                if (export := read(each)) is not None:
                    return export
            except (AttributeError, KeyError, TypeError, IndexError, ValueError) as error:
                fault = f"by its fields it is an export of {tool}, but one has another form than {tool} writes: {error}"
                raise unreadable(content.path, fault) from None
    return None


def read_together(source: Any, paths: Sequence[Path], contents: Sequence[bytes]) -> Export | None:
    """The answers in several files: the two of one export, or logs of one tool; None where no tool that is known
    wrote them. Raises SourceError, one line, where they do not belong together.
    """
    read = [content_of(path, content) or Content(path) for path, content in zip(paths, contents, strict=True)]
    if (export := traces.read_together(read)) is not None:
        return export
    exports = [
        (path, read_export(path, content))
        for path, content, text in zip(paths, contents, read, strict=True)
        if not _says_what_is_beside(text)
    ]
    tools = sorted({"none" if export is None else export.tool for _, export in exports})
    if tools in ([], ["none"]):
        return None
    if len(tools) > 1:
        raise SourceError(
            f"{named(source, 'answers')}: files of several tools ({', '.join(tools)}); name those of one"
        )
    if len(forms := {path.suffix for path, _ in exports}) > 1:
        raise SourceError(
            f"{named(source, 'answers')}: files of several forms ({', '.join(sorted(forms))}), which may be one another's "
            "copies; name those of one"
        )
    return joined([(path.stem, export) for path, export in exports if export is not None])


def _says_what_is_beside(content: Content) -> bool:
    """Return whether a file holds the aggregate of answers that lie in another one."""
    names = set(content.document or {})
    return "evaluation_results" in names or (
        "results" in names and bool({"task_hashes", "n-samples"} & names)
    )


__all__ = ["Export", "read_export", "read_frame", "read_together"]
