"""The YAML at the head of a data set's README: what the Hub indexes, and what `datasets` loads by."""

import re
from collections.abc import Iterable, Mapping, Sequence

import polars as pl
import yaml

from truerate.core.text import clean
from truerate.hub.configs import slug
from truerate.hub.features import yaml_features
from truerate.hub.licences import Licence, combined
from truerate.hub.release import BoardFacts, Config
from truerate.hub.shards import Shard, glob_of, n_bytes
from truerate.hub.stored import Stored, bytes_in_memory

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
    found = sorted({config.licence for config in configs}, key=lambda one: (one.id, one.name))
    return found[0] if len(found) == 1 else combined(found)


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
    found = [_DATASET.fullmatch(part.strip()) for part in str(facts.source.get("url") or "").split(";")]
    return [one[1] for one in found if one] or ["original" if facts.is_simulated else "extended"]


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
