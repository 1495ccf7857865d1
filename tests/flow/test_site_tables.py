"""What the detectors page says of rules is what the rules say of themselves."""

from truerate.detectors import members
from truerate.flow.site_tables import rule_docs


def test_every_rule_is_told_once_with_its_module():
    docs = rule_docs()
    assert sorted(one["name"] for one in docs) == sorted(members())
    assert {one["module"] for one in docs} == {"lexical", "support", "trivial"}
    assert all(one["is_rule"] and one["doc"].endswith(".") for one in docs)
    always = next(one for one in docs if one["name"] == "always")
    assert (always["module"], always["doc"]) == ("trivial", "Calls every text hallucinated.")
