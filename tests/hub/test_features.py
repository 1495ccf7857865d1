"""Column types as YAML and Croissant say them, held against what `datasets` writes itself."""

import polars as pl
import pytest
from datasets import Features, List, Value

from truerate.core.errors import TruerateError
from truerate.hub.croissant import croissant_fields
from truerate.hub.metadata import yaml_features

STRUCT = pl.Struct({"start": pl.Int64, "type": pl.String})
SCHEMA = {
    "a": pl.String, "b": pl.Boolean, "i": pl.Int64, "j": pl.Int32, "f": pl.Float64, "g": pl.Float32,
    "names": pl.List(pl.String), "spans": pl.List(STRUCT), "one": STRUCT,
}  # fmt: skip


def test_types_are_what_datasets_writes_for_them():
    struct = {"start": Value("int64"), "type": Value("string")}
    features = Features(
        {
            "a": Value("string"),
            "b": Value("bool"),
            "i": Value("int64"),
            "j": Value("int32"),
            "f": Value("float64"),
            "g": Value("float32"),
        }
        | {"names": List(Value("string")), "spans": List(struct), "one": struct}
    )
    assert yaml_features(SCHEMA, where="x") == features._to_yaml_list()
    assert Features._from_yaml_list(yaml_features(SCHEMA, where="x")) == features


@pytest.mark.parametrize(
    "dtype",
    [
        pl.Null,
        pl.Categorical,
        pl.Datetime,
        pl.Int8,
        pl.List(pl.List(pl.String)),
        pl.Struct({"x": pl.List(pl.Int64)}),
    ],
)
def test_other_types_are_refused_by_column(dtype):
    with pytest.raises(
        TruerateError,
        match=r"config 'qa', column 'odd': type .* has no name on the Hub; allowed: String, .*; cast the column",
    ):
        yaml_features({"a": pl.String, "odd": dtype}, where="config 'qa'")


def test_a_list_is_repeated_and_a_struct_has_a_field_for_each_part():
    fields = {field["name"]: field for field in croissant_fields(SCHEMA, record_set="qa", files="f")}
    assert fields["i"] == {
        **{"@type": "cr:Field", "@id": "qa/i", "name": "i", "dataType": "sc:Integer"},
        "source": {"fileSet": {"@id": "f"}, "extract": {"column": "i"}},
    }
    assert (
        fields["names"]["repeated"] is True
        and fields["names"]["dataType"] == "sc:Text"
        and "repeated" not in fields["a"]
    )
    assert fields["spans"]["repeated"] is True and "repeated" not in fields["one"]
    parts = fields["spans"]["subField"]
    assert [(part["@id"], part["dataType"], part["source"]["transform"]) for part in parts] == [
        ("qa/spans/start", "sc:Integer", {"jsonPath": "start"}),
        ("qa/spans/type", "sc:Text", {"jsonPath": "type"}),
    ]
