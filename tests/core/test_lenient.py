"""JSON that is not quite JSON."""

import re
from pathlib import Path

import pytest

import truerate
from truerate.core.lenient import exact, loads
from truerate.llm.structured import numbered_verdicts
from truerate.web.recorded import recorded

CASES = {
    "plain": (b'{"a": [1, 2.5, "x"]}', {"a": [1, 2.5, "x"]}),
    "lone surrogate": (b'{"a": "x\\ud800", "b\\udfff": 1}', {"a": "x?", "b?": 1}),
    "endless numbers": (b"[NaN, -Infinity, 1e999, -1e999, 1e5]", [None, None, None, None, 1e5]),
    "many digits": (b"[" + b"9" * 5000 + b", 12]", [None, 12]),
    "byte-order mark": (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
    "UTF-16": ('{"a": "é"}'.encode("utf-16"), {"a": "é"}),
    "UTF-16 without a mark": ('{"a": "é"}'.encode("utf-16-be"), {"a": "é"}),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_read(name):
    body, expected = CASES[name]
    assert loads(body) == expected


@pytest.mark.parametrize("body", [b"", b"{", b"<html>", b"\xff\xfe\x00", b'{"a": }', "é".encode("latin-1")])
def test_what_is_none_is_refused(body):
    with pytest.raises(ValueError):
        loads(body)


def test_what_is_too_deep_is_refused():
    with pytest.raises((ValueError, RecursionError)):
        loads(b"[" * 200_000)


@pytest.mark.parametrize("beside", ["1", "NaN", '"123456789012345678901234567890"'])
def test_a_number_beyond_64_bits_is_null_and_never_rounded(beside):
    numbers = "123456789012345678901234567890, 18446744073709551616, -9223372036854775809"
    assert loads(f"[{numbers}, {beside}]".encode())[:3] == [None] * 3
    whole = f"[18446744073709551615, -9223372036854775808, 1234567890123456789, {beside}]"
    assert loads(whole.encode())[:3] == [18446744073709551615, -9223372036854775808, 1234567890123456789]


@pytest.mark.parametrize("digits", ["18446744073709551616", "-9223372036854775809", "9" * 40])
def test_an_id_beyond_64_bits_is_its_digits_in_a_file(digits):
    assert exact(f'{{"id": {digits}}}') == exact(f'{{"id": {digits}}}'.encode()) == {"id": digits}
    assert exact("[18446744073709551615, 1e3]") == [18446744073709551615, 1000.0]


def test_a_claim_beyond_64_bits_is_no_other_claim():
    reply = '{"verdicts": [{"claim": 18446744073709551617, "verdict": "Yes"}]}'
    assert numbered_verdicts(("Yes", "No")).plain(reply) == reply


def test_a_recorded_line_with_a_long_number_or_half_a_pair_is_read(tmp_path):
    path = tmp_path / "recorded.jsonl"
    item = '{"link": "http://a/", "title": "x\\ud800", "rank": 123456789012345678901234567890}'
    path.write_text(f'{{"query": "Varn", "items": [{item}]}}', "utf-8")
    assert recorded(str(path), ["varn"]) == {"varn": [{"link": "http://a/", "title": "x?"}]}


# What these alone may read: what truerate wrote itself, and fields of large files of answers that are taken as text.
OWN = (
    "core/lenient.py", "metrics/bm25.py", "web/article_files.py", "web/store.py", "llm/retrieved.py", "llm/store/responses.py",
    "llm/store/archive.py", "llm/transport/refusals.py", "llm/keys.py", "sources/answers/large.py",
)  # fmt: skip


def test_no_other_module_reads_foreign_json_with_what_rounds():
    root = Path(truerate.__file__).parent
    rounding = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if re.search(r"orjson\.loads\(|read_ndjson\(|pl\.read_json\(|json_decode\(", path.read_text("utf-8"))
    }
    assert rounding == set(OWN)
