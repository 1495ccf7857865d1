"""The metadata of a data set: column types, and the YAML head of its README."""

import re
from collections.abc import Iterable, Mapping, Sequence

import polars as pl
import yaml

from truerate.core.errors import TruerateError
from truerate.core.text import clean
from truerate.hub.configs import slug
from truerate.hub.licences import Licence, combined
from truerate.hub.release import BoardFacts
from truerate.hub.shards import Config, Shard, Stored, bytes_in_memory, glob_of

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
