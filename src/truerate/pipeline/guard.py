"""What every stage asks before and after it: that settings and code are those that the build began with, and
that its place is its own.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from truerate.config.layout import READERS, ROOT, Layout
from truerate.config.places import SHARED, check_places, claim, clear
from truerate.config.stage_settings import READ, Stage, own_files, read_by, stages, stamp_of
from truerate.core.errors import TruerateError
from truerate.core.keys import digest
from truerate.core.schemas import read_json
from truerate.core.schemas.disk import put
from truerate.pipeline.checks.own_labels import own_labels, refuse_unread
from truerate.pipeline.trained_elsewhere import stamps


@contextmanager
def unchanged(config: Layout, stage: Stage) -> Iterator[None]:
    """Run a stage on the settings that DVC watches: empty its output, refuse edited settings before it and
    settings or code that changed after it, since DVC would record a result that these did not make.
    """
    refuse_edited(config, stage)
    clear(config, stage)
    before = digest("params.yaml", ROOT)
    yield
    if digest("params.yaml", ROOT) != before:
        raise TruerateError(
            "params.yaml or the code changed while this step ran; its result is not recorded: run `dvc "
            "repro` again"
        )


def write_text(path: str | Path, text: str) -> None:
    """Write a text file, making its folder."""
    put(path, lambda scratch: scratch.write_text(text, "utf-8", newline="\n"))


def write_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Write lines into a text file as they come, making its folder."""

    def written(scratch: Path) -> None:
        with scratch.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)

    put(path, written)


def write_json(path: str | Path, value: object) -> None:
    """Write JSON with sorted keys and a final newline."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n")


def refuse_edited(config: Layout, stage: Stage) -> None:
    """Raise TruerateError if settings of a stage, or code that they name, changed since the build began."""
    if is_edited(config, stage):
        raise TruerateError(
            "params.yaml was edited since the build read it, or code that it names; nothing is recorded: "
            "run `dvc repro` again"
        )


def is_edited(config: Layout, stage: Stage) -> bool:
    """Return whether params.yaml, or code that it names, says other than what the first stage read for a
    stage.
    """
    watched = Path(config.settings(stage))
    return watched.is_file() and read_json(watched) != watched_by(config, stage)


def watched_by(config: Layout, stage: Stage) -> dict[str, object]:
    """The settings of a stage with digests of the code that they name for its track, of the user's files that
    it reads (labels, prompts, lists, weights), and of what was learned on another board to judge this one.
    """
    p, there = config.p, config.on(stage.board) if stage.board else config
    code: dict[str, str] = {}
    if stage.name == "sources":
        used = {name: p.source(name).code for name in p.used_sources()}
        code = {name: config.code_digest(named) for name, named in used.items() if named}
    elif stage.name == "dataset":
        asked = p.endpoints_of(stage.board or "")
        code = {name: there.endpoint_identity(name) for name in asked if p.endpoints[name].code}
        code |= {f"sources.{name}": _importing(config) for name in p.track(stage.board).sources()}
    elif stage.name == "judge":
        asked = p.judging_endpoints(stage.board or "")
        code = {name: there.endpoint_identity(name) for name in asked if p.endpoints[name].code}
    elif stage.name in ("annotate", "truth"):
        name = p.board(stage.board).source
        code = {name: there.code_digest(named)} if (named := p.source(name).truth_code) else {}
    labels = own_labels(config, stage.board) if stage.name == "label" and stage.board else []
    files = {path: stamp_of(path) for path in (*map(str, labels), *own_files(p, stage))}
    training = stamps(config, stage.board) if stage.name == "judge" and stage.board else {}
    more = {"code": code, "files": files, "learned": training}
    return read_by(p, stage) | {name: values for name, values in more.items() if values}


def _importing(config: Layout) -> str:
    """Digest of what decides all sources' tables: a board may read another source's documents."""
    return digest(*READERS, settings=watched_by(config, Stage("sources")))


def check_params(*, is_kept: bool = True) -> None:
    """Check params.yaml before anything runs, and write what each stage reads of it (`is_kept`). DVC keeps
    these files, so that nothing is lost before the output folders are checked; files of no stage are removed
    here.
    """
    from truerate.pipeline.checks.check_names import check_names

    config = Layout.load()
    check_names(config)
    check_places(config)
    refuse_unread(config)
    if not is_kept:
        return
    claim(config, *SHARED)
    current = {config.settings(stage): stage for stage in stages(config.p)}
    for path in settings_files(config):
        if path.as_posix() not in current:
            path.unlink()
    for path_of_settings, stage in current.items():
        write_json(path_of_settings, watched_by(config, stage))


def settings_files(config: Layout) -> list[Path]:
    """The files of this step that lie there: those named as a stage with what it is of is."""
    folder = Path(config.settings(Stage("sources"))).parent
    paths = [
        path
        for name in READ
        for pattern in (f"{name}.json", f"{name}/*.json", f"{name}/*/*.json")
        for path in folder.glob(pattern)
    ]
    return [path for path in paths if path.is_file()]
