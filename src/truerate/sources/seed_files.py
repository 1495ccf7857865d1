"""A folder of seed files in their public formats, whichever of them it holds, as one source."""

from pathlib import Path

from truerate.core.errors import SourceError
from truerate.sources import alpaca, cnn_dailymail, hotpotqa, opendialkg, probes
from truerate.sources.collection import SourceTables
from truerate.sources.downloads import looked_for
from truerate.sources.joined import join

FORMATS = (hotpotqa, opendialkg, cnn_dailymail, alpaca)


def read(folder: Path, *, name: str, on_bad_row: str, split: str | None = None) -> SourceTables:
    """The tables of every format found, one below the other; of those that are published in splits, the one
    that is named.

    Raises SourceError where there is none, or a format is there in several files.
    """
    told = {"name": name, "on_bad_row": on_bad_row}
    found = []
    for module in FORMATS:
        if module.forms(folder):
            more = {"split": split} if module.DOWNLOAD.has_splits else {}
            found.append(module.read(folder, **told, **more))
    if (folder / probes.FILE).exists():
        found.append(probes.read(folder, **told))
    if not found:
        names = looked_for([module.DOWNLOAD for module in FORMATS])
        raise SourceError(
            f"source {name!r}: no seed file in {str(folder)!r}; looked for: {names}; or {probes.FILE}"
        )
    return join(found)
