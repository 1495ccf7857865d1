"""The metadata of a data set: column types, the YAML head of its README, and Croissant 1.0."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence

import polars as pl
import yaml

from truerate.core.errors import TruerateError
from truerate.core.text import clean
from truerate.hub.configs import slug
from truerate.hub.licences import Licence, combined
from truerate.hub.release import BoardFacts
from truerate.hub.shards import FOLDER, Config, Shard, Stored, bytes_in_memory, glob_of, n_bytes

# ---- column types --------------------------------------------------------------------------------------------
# polars type → (the name that `datasets` gives it, Croissant's data type)
PLAIN: Mapping[type[pl.DataType], tuple[str, str]] = {
    pl.String: ("string", "sc:Text"),
    pl.Boolean: ("bool", "sc:Boolean"),
    pl.Int32: ("int32", "sc:Integer"),
    pl.Int64: ("int64", "sc:Integer"),
    pl.Float32: ("float32", "sc:Float"),
    pl.Float64: ("float64", "sc:Float"),
}


def yaml_features(schema: Mapping[str, pl.DataType], *, where: str) -> list[dict]:
    """The columns of a table as `dataset_info.features` lists them, in order: what `datasets` itself writes
    for the same types.

    An all-null column keeps its declared type. Raises TruerateError for a type that is not one of ours (a
    column of type Null included).
    """
    return [
        {"name": name} | _entry(_yaml(dtype, f"{where}, column {name!r}")) for name, dtype in schema.items()
    ]


def _entry(feature: str | list | dict) -> dict:
    """A type as the features of YAML hold it beside the column's name."""
    if isinstance(feature, str):
        return {"dtype": feature}
    return {"struct": feature} if isinstance(feature, list) else feature


def _yaml(dtype: pl.DataType, where: str) -> str | list | dict:
    """A plain type as its name, a struct as the list of its fields, a list as `{list: …}`."""
    if isinstance(dtype, pl.List) and not isinstance(dtype.inner, pl.List):
        return {"list": _yaml(dtype.inner, where)}
    if isinstance(dtype, pl.Struct):
        return [{"name": field.name, "dtype": plain(field.dtype, where)[0]} for field in dtype.fields]
    return plain(dtype, where)[0]


def plain(dtype: pl.DataType, where: str) -> tuple[str, str]:
    """The two names of a plain type; TruerateError where it is none."""
    try:
        return PLAIN[dtype.base_type()]
    except KeyError:
        allowed = f"{', '.join(kind.__name__ for kind in PLAIN)}, lists and structs of these, and lists of such structs"
        raise TruerateError(
            f"{where}: type {dtype} has no name on the Hub; allowed: {allowed}; cast the column"
        ) from None


def croissant_fields(schema: Mapping[str, pl.DataType], *, record_set: str, files: str) -> list[dict]:
    """The columns of a table as fields of a Croissant record set whose rows lie in the file set named `files`.

    A list is `repeated`; a struct has a sub-field for each of its parts, which is found by its path within
    the column.
    """
    return [_field(name, dtype, record_set=record_set, files=files) for name, dtype in schema.items()]


def _field(name: str, dtype: pl.DataType, *, record_set: str, files: str) -> dict:
    inner = dtype.inner if isinstance(dtype, pl.List) else dtype
    field = {"@type": "cr:Field", "@id": f"{record_set}/{name}", "name": name}
    source = {"fileSet": {"@id": files}, "extract": {"column": name}}
    repeated = {"repeated": True} if isinstance(dtype, pl.List) else {}
    if not isinstance(inner, pl.Struct):
        return field | {"dataType": plain(inner, field["@id"])[1]} | repeated | {"source": source}
    parts = [
        {
            "@type": "cr:Field",
            "@id": f"{field['@id']}/{part.name}",
            "name": part.name,
            "dataType": plain(part.dtype, field["@id"])[1],
        }
        | {"source": source | {"transform": {"jsonPath": part.name}}}
        for part in inner.fields
    ]
    return field | repeated | {"subField": parts}


# ---- the YAML head -------------------------------------------------------------------------------------------
SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B", "1B<n<10B")
# A task of the samples → the Hub's task categories beside text-classification.
CATEGORIES = {"qa": "question-answering", "summarization": "summarization"}
_DATASET = re.compile(r"https://huggingface\.co/datasets/([\w.-]+/[\w.-]+)/?", re.ASCII)


def front_matter(
    facts: BoardFacts, configs: Sequence[Config], shards: Sequence[Shard], *, licence: Licence | None
) -> str:
    """The YAML block, without its dashes. `licence`: of the whole, None where the licences of its configs
    cannot be joined.

    Text stays text: `no` (Norwegian) is quoted.
    """
    fields = {
        **licence_fields([licence] if licence else [config.licence for config in configs]),
        "language": list(facts.languages),
        "pretty_name": " ".join(clean(facts.title).split()),
        "size_categories": [size_category(sum(_n_rows(config) for config in configs))],
        "task_categories": task_categories(configs),
        "tags": sorted(
            {
                "hallucination",
                "hallucination-detection",
                "factuality",
                "evaluation",
                "benchmark",
                facts.track.name,
            }
        )
        + (["synthetic"] if facts.is_simulated else []),
        "annotations_creators": annotators(configs, is_simulated=facts.is_simulated),
        "source_datasets": source_datasets(facts),
        "configs": [_config(config) for config in configs],
        "dataset_info": [
            _info(config, [shard for shard in shards if shard.config == config.name]) for config in configs
        ],
    }
    kept = {name: value for name, value in fields.items() if value not in (None, [])}
    return yaml.safe_dump(kept, allow_unicode=True, sort_keys=False, width=1000).strip()


def licence_of_all(configs: Iterable[Config]) -> Licence | None:
    """The licence of a data set with these configs; None if they cannot be joined and each keeps its own."""
    licences = sorted({config.licence for config in configs}, key=lambda licence: (licence.id, licence.name))
    return licences[0] if len(licences) == 1 else combined(licences)


def licence_fields(licences: Sequence[Licence]) -> dict[str, object]:
    """`license`, and for `other` its name and link: one id, or a list where a data set stands under several."""
    ids = sorted({licence.id for licence in licences})
    other = next((licence for licence in licences if licence.id == "other"), None)
    named = ({"license_name": slug(other)} if other else {}) | (
        {"license_link": other.link} if other and other.link else {}
    )
    return {"license": ids[0] if len(ids) == 1 else ids, **named}


def size_category(n: int) -> str:
    """The Hub's class of a number of rows; a border belongs to the class above it."""
    return SIZES[min(max(len(str(n)) - 3, 0), len(SIZES) - 1)]


def task_categories(configs: Sequence[Config]) -> list[str]:
    """What the labelled texts serve for; a board without any is of text generation."""
    labelled = [
        config
        for config in configs
        if any("is_hallucinated" in data.columns for data in config.splits.values())
    ]
    if not labelled:
        return ["text-generation"]
    marked = any(data["spans"].list.len().sum() for config in labelled for data in config.splits.values())
    more = {CATEGORIES[name] for name in CATEGORIES for config in labelled if config.name.startswith(name)}
    return ["text-classification", *(["token-classification"] if marked else []), *sorted(more)]


def annotators(configs: Sequence[Config], *, is_simulated: bool) -> list[str]:
    """Who labelled, in the Hub's words: a program, people, or whoever published the source."""
    words = {
        "gold": "machine-generated" if is_simulated else "other",
        "silver": "machine-generated",
        "published": "found",
    }
    frames = [data for config in configs for data in config.splits.values() if "label_source" in data.columns]
    return sorted({words[name] for data in frames for name in data["label_source"].unique()}) or [
        "no-annotation"
    ]


def source_datasets(facts: BoardFacts) -> list[str]:
    """The data sets of the Hub that the source was read from, else `original` (made up) or `extended`."""
    matches = [_DATASET.fullmatch(part.strip()) for part in str(facts.source.get("url") or "").split(";")]
    return [match[1] for match in matches if match] or ["original" if facts.is_simulated else "extended"]


def _config(config: Config) -> dict:
    files = [{"split": split, "path": glob_of(config.name, split)} for split in config.splits]
    return (
        {"config_name": config.name}
        | ({"default": True} if config.is_default else {})
        | {"data_files": files}
    )


def _info(config: Config, shards: Sequence[Shard]) -> dict:
    """What `datasets` holds a config against when it has read it: types and numbers of rows."""
    sizes = {
        split: data.n_bytes if isinstance(data, Stored) else bytes_in_memory(data)
        for split, data in config.splits.items()
    }
    return {
        "config_name": config.name,
        "features": yaml_features(schema_of(config), where=f"config {config.name!r}"),
        "splits": [
            {"name": split, "num_bytes": sizes[split], "num_examples": data.height}
            for split, data in config.splits.items()
        ],
        "download_size": n_bytes(shards),
        "dataset_size": sum(sizes.values()),
    }


def schema_of(config: Config) -> Mapping[str, pl.DataType]:
    """The columns of a config, the same in each of its splits."""
    return next(iter(config.splits.values())).schema


def _n_rows(config: Config) -> int:
    return sum(data.height for data in config.splits.values())


# ---- Croissant -----------------------------------------------------------------------------------------------
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
