"""The data set in Croissant 1.0: its files with their checksums, and a record set for each config."""

import json
from collections.abc import Sequence

from truerate.core.text import clean
from truerate.hub.features import croissant_fields
from truerate.hub.front_matter import schema_of
from truerate.hub.licences import Licence
from truerate.hub.release import BoardFacts, Config
from truerate.hub.shards import FOLDER, Shard

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
PARQUET = "application/x-parquet"
SPLIT_OF_PATH = r"^.*/([a-z]+)-\d+-of-\d+\.parquet$"
# The context that the specification prints: readers warn of any other.
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{
        name: f"cr:{name}"
        for name in (
            *(
                "citeAs",
                "column",
                "equivalentProperty",
                "extract",
                "field",
                "fileProperty",
                "fileObject",
                "fileSet",
                "format",
                "includes",
            ),
            *(
                "isLiveDataset",
                "jsonPath",
                "key",
                "md5",
                "parentField",
                "path",
                "recordSet",
                "references",
                "regex",
                "repeated",
                "replace",
            ),
            *("samplingRate", "separator", "source", "subField", "transform"),
        )
    },
}


def croissant_of(
    facts: BoardFacts,
    configs: Sequence[Config],
    shards: Sequence[Shard],
    *,
    licences: Sequence[Licence],
    repo: str,
    dated: str,
) -> str:
    """croissant.json as text: every shard a file object with its SHA-256, every config a file set and a
    record set.

    A record has the field `split`, read from the file's path, beside the config's columns. `dated` (ISO 8601)
    is the day of publication and, as year.month.day, the version.
    """
    document = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": facts.board,
        "description": _line(f"{facts.title}. {facts.track.summary}"),
        "conformsTo": CONFORMS_TO,
        "license": [licence.link or licence.name for licence in licences],
        "url": f"https://huggingface.co/datasets/{repo}",
        "version": ".".join(str(int(part)) for part in dated.split("-")),
        "datePublished": dated,
        "citeAs": _line(f"{facts.track.citation} {facts.source.get('citation') or ''}"),
        "inLanguage": list(facts.languages),
        "distribution": [*map(_file, shards), *map(_files, configs)],
        "recordSet": [_record_set(config) for config in configs],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _line(text: str) -> str:
    return " ".join(clean(text).split())


def _file(shard: Shard) -> dict:
    entry = {
        "@type": "cr:FileObject",
        "@id": shard.path,
        "name": shard.path.removeprefix(FOLDER),
        "contentUrl": shard.path,
    }
    return entry | {"contentSize": f"{shard.n_bytes} B", "encodingFormat": PARQUET, "sha256": shard.sha256}


def _files(config: Config) -> dict:
    named = {
        "@type": "cr:FileSet",
        "@id": _set_name(config),
        "name": _set_name(config),
        "encodingFormat": PARQUET,
    }
    return named | {"includes": f"{FOLDER}{config.name}/*.parquet"}


def _set_name(config: Config) -> str:
    return f"files-of-{config.name}"


def _record_set(config: Config) -> dict:
    """One record per row of the config, whatever its split."""
    files = _set_name(config)
    source = {
        "fileSet": {"@id": files},
        "extract": {"fileProperty": "fullpath"},
        "transform": {"regex": SPLIT_OF_PATH},
    }
    split = {
        "@type": "cr:Field",
        "@id": f"{config.name}/split",
        "name": "split",
        "dataType": "sc:Text",
        "source": source,
    }
    columns = croissant_fields(schema_of(config), record_set=config.name, files=files)
    return {
        "@type": "cr:RecordSet",
        "@id": config.name,
        "name": config.name,
        "description": config.description,
        "field": [split, *columns],
    }
