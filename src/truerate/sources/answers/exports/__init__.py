"""Files that other tools write, as they lie: told by what is in them, read into records of answers."""

from collections.abc import Callable, Sequence
from pathlib import Path

from truerate.sources.answers.exports import (
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
from truerate.sources.answers.exports.contents import Content, content_of, unreadable
from truerate.sources.answers.exports.records import Export

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
    if text is None:
        return None
    for tool, read in READERS:
        try:
            if (export := read(text)) is not None:
                return export
        except (AttributeError, KeyError, TypeError, IndexError, ValueError) as error:
            fault = f"by its fields it is an export of {tool}, but one has another form than {tool} writes: {error}"
            raise unreadable(path, fault) from None
    return None


def read_together(paths: Sequence[Path], contents: Sequence[bytes]) -> Export:
    """The answers in several files that are one export. Raises SourceError, one line, where they are not."""
    read = (content_of(path, content) or Content(path) for path, content in zip(paths, contents, strict=True))
    return traces.read_together(list(read))


__all__ = ["Export", "read_export", "read_together"]
