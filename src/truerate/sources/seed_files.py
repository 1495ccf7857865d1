"""A folder of seed files in their public formats, whichever of them it holds, as one source."""

from pathlib import Path

from truerate.core.errors import SourceError
from truerate.sources import alpaca, cnn_dailymail, hotpotqa, opendialkg, probes
from truerate.sources.collection import SourceTables
from truerate.sources.joined import join

FORMATS = {
    hotpotqa.FILE: hotpotqa,
    opendialkg.FILE: opendialkg,
    cnn_dailymail.FOLDER: cnn_dailymail,
    alpaca.FILE: alpaca,
    probes.FILE: probes,
}


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """The tables of every format found, one below the other."""
    found = [module for file, module in FORMATS.items() if (folder / file).exists()]
    if not found:
        raise SourceError(
            f"source {name!r}: no seed file in {str(folder)!r}; looked for: {', '.join(FORMATS)}"
        )
    return join([module.read(folder, name=name, on_bad_row=on_bad_row) for module in found])
