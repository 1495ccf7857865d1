"""Column types as a data set card and Croissant say them.

What the tables hold is plain values, lists of them, structs, and lists of structs; what is nested deeper has
no name in Croissant that its reader follows, and is refused here rather than met by a user.
"""

from collections.abc import Mapping

import polars as pl

from truerate.core.errors import TruerateError

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
        allowed = f"{', '.join(one.__name__ for one in PLAIN)}, lists and structs of these, and lists of such structs"
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
