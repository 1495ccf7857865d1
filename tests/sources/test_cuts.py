"""Files are cut into rows: of whatever lines, encodings and damage."""

import tracemalloc

import pytest

from tests.sources.bad_rows import reason_of
from truerate.sources.cuts import csv_records, json_lines, json_list, json_rows, parse, tab_records
from truerate.sources.rows import BadRow, Reason


def rows_of(cut):
    return [(number, make()) for number, make in cut]


ODD = (
    b"",
    b" \n\n",
    b'{"a": 1}',
    b'{"a": 1}\n',
    b'\xef\xbb\xbf{"a": 1}\r\n\r\n \n{"a": 2}\r\n',
    b'\n{"a": "\xe2\x80\xa8"}\n{"a": \n{"a": 2}\r{"a": 3}\n\xff\n',
    b'{"a": 1}\r{"a": 2}\r',
    b'\n{"a": 1}\r{"a": 2}\r\n\n',
    '{"a": 1}\n'.encode("utf-16"),
    '{"a": 1}\n'.encode("utf-32-le"),
    b'\xef\xbb\xbf\n [{"a": 1},\n {"a": 2}]',
    b'[{"a": 1}',
)


def values_or_faults(cut, content):
    """Numbers with values or faults, or the fault of the whole file."""
    results = []
    try:
        for number, make in cut(content):
            try:
                results.append((number, make()))
            except BadRow as bad:
                results.append((number, bad.detail))
    except BadRow as bad:
        results.append(bad.detail)
    return results


@pytest.mark.parametrize("cut", [json_lines, json_rows])
@pytest.mark.parametrize("raw", ODD)
def test_a_file_that_is_read_line_by_line_has_the_rows_of_its_bytes(cut, raw, tmp_path):
    (tmp_path / "a.jsonl").write_bytes(raw)
    assert values_or_faults(cut, tmp_path / "a.jsonl") == values_or_faults(cut, raw)


def test_of_a_file_that_is_read_line_by_line_few_lines_are_in_memory(tmp_path):
    """300 lines of 100 kB: 30 MB."""
    (tmp_path / "a.jsonl").write_text("".join(f'{{"a": "{"x" * 100_000}"}}\n' for _ in range(300)))
    tracemalloc.start()
    n_chars = sum(len(make()["a"]) for _, make in json_rows(tmp_path / "a.jsonl"))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n_chars == 30_000_000 and most < 3_000_000


def test_a_file_that_ends_while_it_is_read_is_one_line(tmp_path):
    (tmp_path / "a.jsonl").mkdir()
    assert values_or_faults(json_lines, tmp_path / "a.jsonl") == [
        "it cannot be read to its end: Is a directory"
    ]


def test_json_lines_are_cut_at_newlines_alone():
    raw = '{"a": "one\u2028two\u0085three"}\n\n{"a": "four"}\r\n'.encode()
    assert rows_of(json_lines(raw)) == [(1, {"a": "one\u2028two\u0085three"}), (3, {"a": "four"})]


def test_a_byte_order_mark_is_no_content():
    assert rows_of(json_lines(b'\xef\xbb\xbf{"a": 1}')) == [(1, {"a": 1})]
    assert rows_of(json_list(b"\xef\xbb\xbf[1]")) == [(1, 1)]
    assert rows_of(csv_records(b"\xef\xbb\xbfa\n1\n", ("a",))) == [(1, {"a": "1"})]


def test_csv_cells_may_hold_line_breaks():
    assert rows_of(csv_records(b'a,b\n"one\ntwo",3\n', ("a", "b"))) == [(1, {"a": "one\ntwo", "b": "3"})]


def test_unparsable_line():
    (_, good), (number, bad) = json_lines(b'{"a": 1}\n{"a": \n')
    assert good() == {"a": 1} and number == 2
    assert reason_of(bad)[0] == Reason.UNPARSABLE


def test_unparsable_because_not_utf8():
    assert reason_of(lambda: parse(b'{"a": "\xff"}')) == (Reason.UNPARSABLE, "not UTF-8 at byte 7")


@pytest.mark.parametrize("name", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("cut", [json_lines, json_list, lambda raw: csv_records(raw, ("a",))])
def test_a_file_in_another_encoding_names_it(name, cut):
    raw = '{"a": 1}\n{"a": 2}\n'.encode(name)
    assert reason_of(lambda: rows_of(cut(raw))) == (Reason.UNPARSABLE, f"it is {name[:6].upper()}, not UTF-8")


def test_a_line_is_read_as_utf_8_alone():
    """The json of Python guesses: a single line in UTF-16 was read, and the next one refused."""
    assert reason_of(lambda: parse('{"a": 1}'.encode("utf-16-le")[:-1]))[0] == Reason.UNPARSABLE
    ((_, first), (_, second)) = json_lines(b'{"b": 1}\n' + '{"a": 1}'.encode("utf-16-le"))
    assert first() == {"b": 1} and reason_of(second)[0] == Reason.UNPARSABLE


def test_lines_that_end_in_cr_alone_are_told():
    words = "its lines end in a carriage return (CR) alone; they must end in LF or CR LF"
    assert reason_of(lambda: rows_of(json_lines(b'{"a": 1}\r{"a": 2}\r'))) == (Reason.UNPARSABLE, words)
    (first, (_, mixed)) = json_lines(b'{"a": 1}\r\n{"a": 2}\r{"a": 3}\n')
    assert first[1]() == {"a": 1} and "a carriage return (CR) stands inside the line" in reason_of(mixed)[1]


def test_a_csv_record_with_a_byte_that_is_no_utf_8_is_one_bad_row():
    (_, first), (number, second), (_, third) = csv_records(b"a,b\n1,x\n2,caf\xe9\n3,y\n", ("a",))
    assert first() == {"a": "1", "b": "x"} and third() == {"a": "3", "b": "y"} and number == 2
    assert reason_of(second) == (Reason.UNPARSABLE, "not UTF-8: byte 0xe9 in column 'b'; save it as UTF-8")


def test_unparsable_because_too_many_cells():
    ((_, make),) = csv_records(b"a\n1,2\n", ("a",))
    assert reason_of(make)[0] == Reason.UNPARSABLE


def test_a_csv_without_a_column():
    assert (
        reason_of(lambda: rows_of(csv_records(b"a,b\n", ("a", "c"))))[1]
        == "no column 'c' in the header; found: a, b"
    )


def test_a_column_that_stands_twice_in_a_header():
    """The last of them would count without a word; of one that nobody asks for nothing is lost."""
    wanted = (Reason.CONFLICT, "column 'a' stands in the header 2 times")
    assert reason_of(lambda: rows_of(csv_records(b"a,b,a\n1,2,3\n", ("a",)))) == wanted
    assert reason_of(lambda: rows_of(tab_records(b"a\tb\ta\n1\t2\t3\n", ("a",)))) == wanted
    assert rows_of(csv_records(b"a,,\n1,2,3\n", ("a",))) == [(1, {"a": "1", "": "3"})]


def test_an_id_beyond_64_bits_is_text_and_never_rounded():
    from truerate.sources.cuts import parse

    assert parse(b'{"id": 123456789012345678901, "n": 1234567890123456789}') == {
        "id": "123456789012345678901",
        "n": 1234567890123456789,
    }
    assert parse(b"[" + b"9" * 5000 + b"]") == ["9" * 5000]
