"""What each reader refuses of a source's rows, with the reason: the cases stand in rejects.yaml."""

from pathlib import Path

import pytest
import yaml

from truerate.config import Source
from truerate.core.errors import TruerateError
from truerate.sources.reading import read_source

CASES = yaml.safe_load(Path(__file__).with_name("rejects.yaml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("reader", "number"),
    [(reader, number) for reader, cases in CASES.items() for number in range(len(cases))],
)
def test_a_bad_row_is_a_reject_with_its_reason_and_the_others_are_kept(put, tmp_path, reader, number):
    case = CASES[reader][number]
    for file, content in case["files"].items():
        put(file, content)
    source = Source(reader=reader, path=str(tmp_path), part=case.get("part"), is_public=True)
    got = read_source("x", source, tmp_path, "reject")
    assert [list(row) for row in got.rejects.select("row", "reason").iter_rows()] == case["rejects"]
    assert [got.items.height, got.samples.height] == case["kept"]
    if "where" in case:
        assert got.rejects["where"].to_list() == case["where"]
    if "judges" in case:
        assert got.judgements["judge"].to_list() == case["judges"]
    if "stops_at" in case:
        with pytest.raises(TruerateError, match=case["stops_at"]):
            read_source("x", source, tmp_path, "stop")
