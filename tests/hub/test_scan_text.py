"""What must not leave the house is found in whatever kind of file and place it stands."""

import io

import polars as pl
import pytest

from tests.hub.scanned import TOKEN, findings_in, parquet, safetensors
from truerate.core.errors import TruerateError
from truerate.hub.scan import EMAIL, PATH, Finding, scan
from truerate.hub.scan_text import CLOSED, PACKED

# ---- places ------------------------------------------------------------------------------------------------
NESTED = pl.Series([[{"key": "a", "value": ["x"]}], None, [{"key": "b", "value": [None, TOKEN]}]])
COLUMNS = {
    "text": pl.Series(["a", None, TOKEN]),
    "category": pl.Series(["a", "b", TOKEN], dtype=pl.Categorical),
    "enum": pl.Series(["a", "b", TOKEN], dtype=pl.Enum(["a", "b", TOKEN])),
    "binary": pl.Series([b"a", b"\xff", TOKEN.encode()]),
    "list": pl.Series([["a"], [], ["b", TOKEN]]),
    "array": pl.Series([["a", "b"], ["c", "d"], ["e", TOKEN]], dtype=pl.Array(pl.String, 2)),
    "struct": pl.Series([{"a": 1, "b": "x"}, {"a": 2, "b": None}, {"a": 3, "b": TOKEN}]),
    "nested": NESTED,
}


@pytest.mark.parametrize("name", COLUMNS)
def test_strings_of_every_type_of_column(name):
    data = pl.DataFrame({"n": [1, 2, 3], name: COLUMNS[name]})
    *before, last = findings_in(parquet(data))
    assert last == Finding("data/qa/train.parquet", f"column {name!r}, row 3", "Hugging Face token", "hf_a…")
    assert [entry.where for entry in before] == (
        ["metadata"] if name == "enum" else []
    )  # its categories stand in the type, too


def test_metadata_and_names_of_columns():
    places = {
        entry.where for entry in findings_in(parquet(pl.DataFrame({"a": [1]}), note=f"made with {TOKEN}"))
    }
    assert places == {"metadata"}
    nested = pl.DataFrame({"a": [{TOKEN: 1}], TOKEN + "b": [["x"]]})
    assert {entry.where for entry in findings_in(parquet(nested))} >= {"name of a column"}


def test_metadata_that_arrow_keeps_in_its_own_schema():
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(
        pa.table({"a": [1]}, schema=pa.schema([pa.field("a", pa.int64(), metadata={"by": TOKEN})])), buffer
    )
    assert [entry.where for entry in findings_in(buffer.getvalue())] == ["metadata"]


def mapped(*rows, value=None, of=lambda kind: kind) -> bytes:
    """A column of a map, which only pyarrow writes with a key twice."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(
        pa.table({"m": pa.array(rows, type=of(pa.map_(pa.string(), value or pa.string())))}), buffer
    )
    return buffer.getvalue()


def test_maps_cannot_be_looked_into_wherever_they_stand():
    """Of a key that a map repeats a reader keeps the last value alone: the file holds more."""
    pa = pytest.importorskip("pyarrow")
    for content in (
        mapped([("k", TOKEN), ("k", "harmless")]),
        mapped(None, [("k", [("x", "y"), ("x", TOKEN)])], value=pa.map_(pa.string(), pa.string())),
        mapped([], [[("k", "v")], [("k", TOKEN)]], of=pa.list_),
        mapped(None, {"f": [("k", TOKEN)]}, of=lambda kind: pa.struct([("f", kind)])),
        mapped(None, [("k", {"f": TOKEN})], value=pa.struct([("f", pa.string())])),
    ):
        assert ("column 'm'", CLOSED) in [(entry.where, entry.kind) for entry in findings_in(content)]


def test_columns_that_cannot_be_looked_into():
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(pa.table({TOKEN: pa.array(["{}"], type=pa.json_()), "n": pa.array([1])}), buffer)
    findings = [entry for entry in findings_in(buffer.getvalue()) if entry.kind == CLOSED]
    assert findings == [Finding("data/qa/train.parquet", "column 'hf_a…'", CLOSED, "…")]
    assert findings_in(parquet(pl.DataFrame({"n": [[{"a": 1}]]}))) == []


def test_a_find_in_many_rows_is_told_once():
    assert len(findings_in(parquet(pl.DataFrame({"text": [f"{n} {TOKEN}" for n in range(1000)]})))) == 1


@pytest.mark.parametrize(
    ("text", "path_of_text"),
    [
        ('{"a": {"b": ["x", "tail\\n%s"]}}', "at /a/b/1"),
        ('{"%s": 1}', "at /"),
        ('{"a": "%s", "a": "second"}', "at /a"),
        ('{"a": broken\n%s', "line 2"),
    ],
)
def test_json_is_read_as_its_readers_do(text, path_of_text):
    assert [
        (entry.where, entry.kind) for entry in findings_in((text % TOKEN).encode(), "x/tokenizer.json")
    ] == [(path_of_text, "Hugging Face token")]


def test_json_lines_and_escapes():
    content = b'{"a": 1}\n\n{"a": "info\\u0040my-site.com"}\nbroken ' + TOKEN.encode()
    assert [(entry.where, entry.kind) for entry in findings_in(content, "a.jsonl")] == [
        ("line 3", EMAIL),
        ("line 4", "Hugging Face token"),
    ]
    assert [entry.kind for entry in findings_in(b'{"a": "\\ud800 ' + TOKEN.encode() + b'"}', "a.json")] == [
        "Hugging Face token"
    ]
    deep = b"[" * 50_000 + b'"' + TOKEN.encode()
    assert [entry.where for entry in findings_in(deep, "a.json")] == ["line 1"]


def test_safetensors():
    assert findings_in(safetensors({"__metadata__": {"format": "pt"}}), "model.safetensors") == []
    header = {
        "__metadata__": {"path": "/home/maria/run/1"},
        "w": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]},
    }
    assert [(entry.where, entry.kind) for entry in findings_in(safetensors(header), "model.safetensors")] == [
        ("header at /__metadata__/path", PATH)
    ]
    hidden = safetensors({}, body=b"\0\xff" + TOKEN.encode() + b"\0")
    assert [entry.kind for entry in findings_in(hidden, "model.safetensors")] == ["Hugging Face token"]
    assert findings_in(b"\xff" * 20, "model.safetensors") == findings_in(b"", "model.safetensors") == []


def test_other_files():
    assert [entry.kind for entry in findings_in(b"\0\1" + TOKEN.encode(), "x.bin")] == ["Hugging Face token"]
    assert findings_in(b"\0\1 info@my-site.com", "x.bin") == []  # bytes make addresses by chance
    assert [entry.kind for entry in findings_in("\ufeffinfo@my-site.com".encode("utf-16-le"), "x.txt")] == [
        EMAIL
    ]
    assert [entry.kind for entry in findings_in(b"\xe9t\xe9 info@my-site.com", "x.txt")] == [EMAIL]
    for packed in (b"PK\x03\x04rest", b"\x1f\x8brest"):
        assert [entry.kind for entry in findings_in(packed, "state.npz")] == [PACKED]


def test_file_names_and_places_do_not_tell_what_they_hold():
    findings = findings_in(parquet(pl.DataFrame({TOKEN: [TOKEN]})), f"data/{TOKEN}/train.parquet")
    assert {entry.where.split(" '")[0] for entry in findings} == {
        "its name",
        "metadata",
        "name of a column",
        "column",
    }
    assert TOKEN not in repr(findings)


def test_files_from_disk(tmp_path):
    (tmp_path / "a.md").write_text(TOKEN)
    (tmp_path / "b.parquet").write_bytes(parquet(pl.DataFrame({"t": [TOKEN]})))
    findings = scan(
        {"b.parquet": tmp_path / "b.parquet", "a.md": tmp_path / "a.md"}, environment={}, secrets=[]
    )
    assert [entry.path for entry in findings] == ["a.md", "b.parquet"]


@pytest.mark.parametrize("path", ["a.parquet", "a.md"])
def test_files_that_cannot_be_read(tmp_path, path):
    with pytest.raises(
        TruerateError, match=f"^looking for secrets in '{path}': .*; run `dvc repro` and publish again$"
    ) as refused:
        findings_in(tmp_path / path, path)
    assert "\n" not in str(refused.value)
    with pytest.raises(TruerateError, match="looking for secrets in 'broken.parquet'"):
        findings_in(b"PAR1 is all there is", "broken.parquet")
