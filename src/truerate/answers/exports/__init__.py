"""Files that other tools write, as they lie: told by what is in them, read into records of answers."""

from collections.abc import Callable
from pathlib import Path

from truerate.answers.exports import (
    data_folders,
    deepeval,
    every_eval,
    inspect_logs,
    label_studio,
    lm_eval,
    promptfoo,
    tables,
    traces,
)
from truerate.answers.exports.contents import Content, content_of, unreadable
from truerate.answers.exports.records import Export

READERS: tuple[Callable[[Content], Export | None], ...] = (
    inspect_logs.of_json,
    lm_eval.of_samples,
    lm_eval.of_results,
    every_eval.of_instances,
    every_eval.of_aggregate,
    deepeval.of_run,
    deepeval.of_goldens,
    label_studio.of_tasks,
    label_studio.of_rows,
    traces.of_langfuse,
    traces.of_phoenix,
    tables.of_trulens,
    tables.of_ragas,
    promptfoo.of_csv,
    promptfoo.of_results,
    tables.of_uqlm,
    data_folders.of_table,
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
    if text is None:
        return None
    try:
        return next((export for read in READERS if (export := read(text)) is not None), None)
    except (AttributeError, KeyError, TypeError, IndexError) as error:
        raise unreadable(
            path, f"its fields are not as its tool writes them: {type(error).__name__} at {error}"
        ) from None


__all__ = ["Export", "read_export"]
