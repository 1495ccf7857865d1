"""croissant.json: Croissant 1.1 with the fields of its vocabulary for responsible AI (RAI), and where a data set comes from (PROV-O).

The text fields are answers of its datasheet (`BoardFacts.rai`); origin and activities are those of the
source's card and of dvc.lock.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from truerate.core.text import clean
from truerate.hub.configs import CARD_WORDS
from truerate.hub.licences import Licence
from truerate.hub.metadata import TAGS, plain
from truerate.hub.provenance.statement import stages_of
from truerate.hub.release import LOCK, BoardFacts
from truerate.hub.shards import FOLDER, Config, Shard

CONFORMS_TO = ("http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0")
PARQUET = "application/x-parquet"
SPLIT_OF_PATH = r"^.*/([a-z]+)-\d+-of-\d+\.parquet$"
# fields of RAI that hold one text each; the others hold a list
ONE_TEXT = ("dataCollection", "dataCollectionMissingData", "dataReleaseMaintenancePlan", "dataSocialImpact")


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
    owner = repo.partition("/")[0]
    organization = {"@type": "sc:Organization", "name": owner, "url": f"https://huggingface.co/{owner}"}
    document = {
        "@context": CARD_WORDS["croissant"],
        "@type": "sc:Dataset",
        "name": facts.board,
        "description": _line(f"{facts.title}. {facts.track.summary}"),
        "conformsTo": [*CONFORMS_TO],
        "license": [licence.link or licence.name for licence in licences],
        "url": f"https://huggingface.co/datasets/{repo}",
        "creator": organization,
        "publisher": organization,
        "version": ".".join(str(int(part)) for part in dated.split("-")),
        "datePublished": dated,
        "citeAs": _line(f"{facts.track.citation} {facts.source.get('citation') or ''}"),
        "keywords": sorted({*TAGS, facts.track.name}),
        "inLanguage": list(facts.languages),
        **{f"rai:{name}": _texts(name, lines) for name, lines in facts.rai.items()},
        "rai:hasSyntheticData": is_synthetic(facts, configs),
        "prov:wasDerivedFrom": [*derived_from(facts)],
        "prov:wasGeneratedBy": [*generated_by(facts)],
        "distribution": [*files, *file_sets],
        "recordSet": [_record_set(config) for config in configs],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


# ---- responsible AI, and where it comes from ---------------------------------------------------------------
def _texts(name: str, lines: Sequence[str]) -> str | list[str]:
    """The value of a field of RAI: one text, or a list of texts, each once."""
    plain_lines = list(dict.fromkeys(map(_line, lines)))
    return " ".join(plain_lines) if name in ONE_TEXT else plain_lines


def is_synthetic(facts: BoardFacts, configs: Sequence[Config]) -> bool:
    """Whether programs wrote any of its texts: of a closed world, by models that made it or whose replies it
    holds, or as the source says of single texts (`generator`).
    """
    frames = [data for config in configs if "generator" in config.schema for data in config.splits.values()]
    is_of_model = any(data.height > data["generator"].null_count() for data in frames)
    has_replies = any(f"{config.name}-".startswith("generations-") for config in configs)
    return facts.is_simulated or bool(facts.models) or has_replies or is_of_model


def derived_from(facts: BoardFacts) -> Iterator[dict]:
    """Yield the sources of a data set as entities, by the rights of each: name, licence, address, commit; then
    the files that were read, with their SHA-256.
    """
    for card in facts.origins or [facts.source]:
        yield _entity(
            card.get("name") or facts.board,
            license=card.get("licence"),
            url=card.get("url"),
            citation=card.get("citation"),
            version=card.get("revision"),
        )
    for file in facts.source.get("files") or ():  # type: ignore[attr-defined]
        yield _entity(file["file"], sha256=file.get("sha256"))


def generated_by(facts: BoardFacts) -> Iterator[dict]:
    """Yield the activities that made a data set: the steps of the protocol where models were asked, with the
    models in their roles, and the stages of dvc.lock with their commands.
    """
    roles = [f"{role.replace('_', ' ')}: {model}" for role, model in facts.models.items()]
    agents = [{"@type": "prov:SoftwareAgent", "prov:label": _line(role)} for role in roles]
    for step in facts.track.steps if agents else ():
        activity = {"@type": "prov:Activity", "prov:label": _line(step.name), "description": _line(step.text)}
        yield activity | {"prov:wasAssociatedWith": agents}
    for stage in stages_of(facts.recipe.get(LOCK, "")):
        yield {"@type": "prov:Activity", "prov:label": stage.address, "description": stage.command}


def _entity(name: object, **stated: object) -> dict:
    """An entity of PROV-O with what is stated of it."""
    values = {key: _line(str(value)) for key, value in stated.items() if value}
    return {"@type": "prov:Entity", "prov:label": _line(str(name)), **values}


def _line(text: str) -> str:
    return " ".join(clean(text).split())


# ---- files and records -------------------------------------------------------------------------------------
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
