"""What pages are made from: rules as they say themselves, and the verdicts that are shown."""

from truerate.core.schemas import Judgement, frame, judgement_row, save
from truerate.detectors.family import members
from truerate.pipeline.publishing.site_tables import OF_VERDICT, rule_docs, verdicts_on


def test_every_rule_is_told_once_with_its_module():
    docs = rule_docs()
    assert sorted(one["name"] for one in docs) == sorted(members())
    assert {one["module"] for one in docs} == {"lexical", "support", "trivial"}
    assert all(one["doc"].endswith(".") for one in docs)
    always = next(one for one in docs if one["name"] == "always")
    assert (always["module"], always["doc"]) == ("trivial", "Calls every text hallucinated.")


def test_verdicts_on_what_is_shown_keep_every_judges_name(tmp_path):
    said = [("b", "x"), ("a", "y"), ("a", "x"), ("b", "z"), ("c", "z")]
    rows = [
        judgement_row(
            judgement_id=f"{judge}-{target}", judge=judge, judge_version="1", target_id=target, verdict=True
        )
        for judge, target in said
    ]
    path = tmp_path / "said.parquet"
    save(Judgement, frame(Judgement, rows), path)
    found = verdicts_on(str(path), {"x"})
    # those on x, and the first of a and of c, whose names are shown
    assert found["judgement_id"].to_list() == ["b-x", "a-y", "a-x", "c-z"]
    assert set(found.columns) == {*OF_VERDICT} and "judge_version" not in found.columns
    assert verdicts_on(str(path), None).height == len(said)
