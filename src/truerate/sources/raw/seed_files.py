"""A folder of seed files in their public formats, whichever of them it holds, as one source."""

from pathlib import Path

from truerate.core.errors import SourceError, listed
from truerate.core.process.terminal import say
from truerate.sources.downloads import looked_for
from truerate.sources.hub.files import NO_DATA
from truerate.sources.joined import join
from truerate.sources.raw import alpaca, cnn_dailymail, hotpotqa, opendialkg, probes
from truerate.sources.tables import SourceTables

FORMATS = (hotpotqa, opendialkg, cnn_dailymail, alpaca)
# how files end that may hold rows, or an archive that nobody has unpacked
DATA = (".json", ".jsonl", ".csv", ".tsv", ".gz", ".tgz", ".tar", ".zip", ".zst")


def read(folder: Path, *, name: str, on_bad_row: str, split: str | None = None) -> SourceTables:
    """Join the tables of every format in a folder; of one that is published in splits, the split that is
    named.

    Files under names that no publisher uses are reported. Raises SourceError where no format is there, or one
    in several files.
    """
    options = {"name": name, "on_bad_row": on_bad_row}
    tables = []
    for module in FORMATS:
        if module.DOWNLOAD.is_in(folder):
            more = {"split": split} if module.DOWNLOAD.has_splits else {}
            tables.append(module.read(folder, **options, **more))
    if (folder / probes.FILE).exists():
        tables.append(probes.read(folder, **options))
    if not tables:
        names = f"{looked_for([module.DOWNLOAD for module in FORMATS])}; or {probes.FILE}"
        raise SourceError(f"source {name!r}: no seed file in {str(folder)!r}; looked for: {names}")
    if passed_over := strange(folder):
        where = f"source {name!r}: not read in {str(folder)!r}"
        say(f"{where}, for no format has such names: {listed(passed_over)}")
    return join(tables)


def strange(folder: Path) -> list[str]:
    """The files in a folder, or in its `data`, that may hold rows and have no name of any format."""
    named = {probes.FILE, *NO_DATA, *(file for module in FORMATS for file in module.DOWNLOAD.files)}
    paths = [*folder.glob("*"), *(folder / "data").glob("*")]
    names = [path.relative_to(folder).as_posix() for path in paths if path.is_file()]
    return sorted(name for name in names if name.lower().endswith(DATA) and name not in named)
