"""The metadata of a data set: column types, the YAML head of its README, and Croissant 1.0."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence

import polars as pl
import yaml

from truerate.core.errors import TruerateError
from truerate.core.text import clean
from truerate.hub.configs import CARD_WORDS, slug
from truerate.hub.licences import Licence, combined
from truerate.hub.release import BoardFacts
from truerate.hub.shards import FOLDER, Config, Shard, Stored, bytes_in_memory, glob_of

# ---- column types ------------------------------------------------------------------------------------------
# polars type → (the name that `datasets` gives it, Croissant's data type)
PLAIN: Mapping[type[pl.DataType], tuple[str, str]] = {
    pl.String: ("string", "sc:Text"),
    pl.Boolean: ("bool", "sc:Boolean"),
    pl.Int32: ("int32", "sc:Integer"),
    pl.Int64: ("int64", "sc:Integer"),
    pl.Float32: ("float32", "sc:Float"),
    pl.Float64: ("float64", "sc:Float"),
}


def plain(dtype: pl.DataType, where: str) -> tuple[str, str]:
    """The two names of a plain type; TruerateError where it is none."""
    try:
        return PLAIN[dtype.base_type()]
    except KeyError:
        kinds = ", ".join(kind.__name__ for kind in PLAIN)
        allowed = f"{kinds}, lists and structs of these, and lists of such structs"
        problem = f"type {dtype} has no name on the Hub; allowed: {allowed}"
        raise TruerateError(f"{where}: {problem}; cast the column") from None


def yaml_features(schema: Mapping[str, pl.DataType], *, where: str) -> list[dict]:
    """The columns of a table as `dataset_info.features` lists them: what `datasets` itself writes for the
    same types.

    An all-null column keeps its declared type. Raises TruerateError for a type that is not one of ours (as
    Null).
    """
    features = []
    for name, dtype in schema.items():
        feature = _yaml(dtype, f"{where}, column {name!r}")
        kind = {"dtype": feature} if isinstance(feature, str) else feature
        features.append({"name": name} | ({"struct": kind} if isinstance(kind, list) else kind))
    return features


def _yaml(dtype: pl.DataType, where: str) -> str | list | dict:
    """A plain type as its name, a struct as the list of its fields, a list as `{list: …}`."""
    if isinstance(dtype, pl.List) and not isinstance(dtype.inner, pl.List):
        return {"list": _yaml(dtype.inner, where)}
    if isinstance(dtype, pl.Struct):
        return [{"name": field.name, "dtype": plain(field.dtype, where)[0]} for field in dtype.fields]
    return plain(dtype, where)[0]


def croissant_fields(schema: Mapping[str, pl.DataType], *, record_set: str, files: str) -> list[dict]:
    """The columns of a table as fields of a Croissant record set whose rows lie in the file set `files`: a
    list is `repeated`, a struct has a sub-field for each of its parts, by its path within the column.
    """
    fields = []
    for name, dtype in schema.items():
        inner = dtype.inner if isinstance(dtype, pl.List) else dtype
        field = _croissant("Field", f"{record_set}/{name}", name)
        source = {"fileSet": {"@id": files}, "extract": {"column": name}}
        repeated = {"repeated": True} if isinstance(dtype, pl.List) else {}
        if isinstance(inner, pl.Struct):
            parts = [
                _croissant("Field", f"{field['@id']}/{part.name}", part.name)
                | {"dataType": plain(part.dtype, field["@id"])[1]}
                | {"source": source | {"transform": {"jsonPath": part.name}}}
                for part in inner.fields
            ]
            fields.append(field | repeated | {"subField": parts})
        else:
            fields.append(field | {"dataType": plain(inner, field["@id"])[1]} | repeated | {"source": source})
    return fields


def _croissant(kind: str, id: str, name: str) -> dict:
    return {"@type": f"cr:{kind}", "@id": id, "name": name}


# ---- the YAML head -----------------------------------------------------------------------------------------
SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B", "1B<n<10B")
TAGS = ("hallucination", "hallucination-detection", "factuality", "evaluation", "benchmark")
# A task of the samples → the Hub's task categories beside text-classification.
CATEGORIES = {"qa": "question-answering", "summarization": "summarization"}
_DATASET = re.compile(r"https://huggingface\.co/datasets/([\w.-]+/[\w.-]+)/?", re.ASCII)


def front_matter(
    facts: BoardFacts, configs: Sequence[Config], shards: Sequence[Shard], *, licence: Licence | None
) -> str:
    """Return the YAML block, without its dashes; `no` (Norwegian) is quoted. `licence`: of the whole, None
    where those of its configs cannot be joined.
    """
    n_rows = sum(config.n_rows for config in configs)
    fields = {
        **licence_fields([licence] if licence else [config.licence for config in configs]),
        "language": list(facts.languages),
        "pretty_name": " ".join(clean(facts.title).split()),
        # the class of a number of rows; a border belongs to the class above it
        "size_categories": [SIZES[min(max(len(str(n_rows)) - 3, 0), len(SIZES) - 1)]],
        "task_categories": task_categories(configs),
        "tags": [*sorted({*TAGS, facts.track.name}), *(["synthetic"] if facts.is_simulated else [])],
        "annotations_creators": annotators(configs, is_simulated=facts.is_simulated),
        "source_datasets": source_datasets(facts),
        "configs": [_config(config) for config in configs],
        "dataset_info": [_info(config, shards) for config in configs],
    }
    kept = {name: value for name, value in fields.items() if value not in (None, [])}
    return yaml.safe_dump(kept, allow_unicode=True, sort_keys=False, width=1000).strip()


def licence_of_all(configs: Iterable[Config]) -> Licence | None:
    """The licence of a data set with these configs; None if they cannot be joined and each keeps its own."""
    bearing = [config for config in configs if config.has_texts] or list(configs)
    licences = sorted({config.licence for config in bearing}, key=lambda licence: (licence.id, licence.name))
    return licences[0] if len(licences) == 1 else combined(licences)


def licence_fields(licences: Sequence[Licence]) -> dict[str, object]:
    """`license` (one id, or a list where there are several), and of `other` its name and link."""
    ids = sorted({licence.id for licence in licences})
    fields: dict[str, object] = {"license": ids[0] if len(ids) == 1 else ids}
    if other := next((licence for licence in licences if licence.id == "other"), None):
        fields |= {"license_name": slug(other)} | ({"license_link": other.link} if other.link else {})
    return fields


def task_categories(configs: Sequence[Config]) -> list[str]:
    """Return what the labelled texts serve for; a board without any is of text generation."""
    labelled = [config for config in configs if config.is_labelled]
    if not labelled:
        return ["text-generation"]
    marked = any(data["spans"].list.len().sum() for config in labelled for data in config.splits.values())
    more = {CATEGORIES[name] for name in CATEGORIES for config in labelled if config.name.startswith(name)}
    return ["text-classification", *(["token-classification"] if marked else []), *sorted(more)]


def annotators(configs: Sequence[Config], *, is_simulated: bool) -> list[str]:
    """Return who labelled, in the Hub's words: a program, people, or whoever published the source."""
    people = "machine-generated" if is_simulated else "other"
    words = {"gold": people, "silver": "machine-generated", "published": "found"}
    frames = [data for config in configs for data in config.splits.values() if "label_source" in data.columns]
    creators = {words[name] for data in frames for name in data["label_source"].unique()}
    return sorted(creators) or ["no-annotation"]


def source_datasets(facts: BoardFacts) -> list[str]:
    """The data sets of the Hub that the source was read from, else `original` (made up) or `extended`."""
    matches = [_DATASET.fullmatch(part.strip()) for part in str(facts.source.get("url") or "").split(";")]
    return [match[1] for match in matches if match] or ["original" if facts.is_simulated else "extended"]


def _config(config: Config) -> dict:
    files = [{"split": split, "path": glob_of(config.name, split)} for split in config.splits]
    default = {"default": True} if config.is_default else {}
    return {"config_name": config.name} | default | {"data_files": files}


def _info(config: Config, shards: Sequence[Shard]) -> dict:
    """Return what `datasets` holds a config against when it has read it: types and numbers of rows."""
    splits = []
    for split, data in config.splits.items():
        n_bytes = data.n_bytes if isinstance(data, Stored) else bytes_in_memory(data)
        splits.append({"name": split, "num_bytes": n_bytes, "num_examples": data.height})
    return {
        "config_name": config.name,
        "features": yaml_features(config.schema, where=f"config {config.name!r}"),
        "splits": splits,
        "download_size": sum(shard.n_bytes for shard in shards if shard.config == config.name),
        "dataset_size": sum(split["num_bytes"] for split in splits),
    }


# ---- Croissant ---------------------------------------------------------------------------------------------
CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
PARQUET = "application/x-parquet"
SPLIT_OF_PATH = r"^.*/([a-z]+)-\d+-of-\d+\.parquet$"


def croissant_of(
    facts: BoardFacts,
    configs: Sequence[Config],
    shards: Sequence[Shard],
    *,
    licences: Sequence[Licence],
    repo: str,
    dated: str,
) -> str:
    """Return croissant.json: every shard a file object with its SHA-256, every config a file set and a record
    set, whose records have the field `split`, read from the file's path, beside the config's columns. `dated`
    (ISO 8601) is the day of publication and, as year.month.day, the version.
    """
    files = [
        _croissant("FileObject", shard.path, shard.path.removeprefix(FOLDER))
        | {"contentUrl": shard.path, "contentSize": f"{shard.n_bytes} B", "encodingFormat": PARQUET}
        | {"sha256": shard.sha256}
        for shard in shards
    ]
    file_sets = [
        _croissant("FileSet", _file_set(config), _file_set(config))
        | {"encodingFormat": PARQUET, "includes": f"{FOLDER}{config.name}/*.parquet"}
        for config in configs
    ]
    document = {
        "@context": CARD_WORDS["croissant"],
        "@type": "sc:Dataset",
        "name": facts.board,
        "description": " ".join(clean(f"{facts.title}. {facts.track.summary}").split()),
        "conformsTo": CONFORMS_TO,
        "license": [licence.link or licence.name for licence in licences],
        "url": f"https://huggingface.co/datasets/{repo}",
        "version": ".".join(str(int(part)) for part in dated.split("-")),
        "datePublished": dated,
        "citeAs": " ".join(clean(f"{facts.track.citation} {facts.source.get('citation') or ''}").split()),
        "inLanguage": list(facts.languages),
        "distribution": [*files, *file_sets],
        "recordSet": [_record_set(config) for config in configs],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _file_set(config: Config) -> str:
    return f"files-of-{config.name}"


def _record_set(config: Config) -> dict:
    """One record per row of the config, whatever its split."""
    source = {"fileSet": {"@id": _file_set(config)}, "extract": {"fileProperty": "fullpath"}}
    split = _croissant("Field", f"{config.name}/split", "split") | {
        "dataType": "sc:Text",
        "source": source | {"transform": {"regex": SPLIT_OF_PATH}},
    }
    columns = croissant_fields(config.schema, record_set=config.name, files=_file_set(config))
    record_set = _croissant("RecordSet", config.name, config.name)
    return record_set | {"description": config.description, "field": [split, *columns]}
