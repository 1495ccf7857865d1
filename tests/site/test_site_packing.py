"""Packed data: letters that a script need not escape, as assets/samples_store.js opens them."""

import json

from truerate.site.samples.packing import packed_json, packed_script, unpacked


def test_values_come_back_and_half_a_surrogate_pair_is_a_question_mark():
    assert json.loads(unpacked(packed_json({"a": ["<é𠮷", None, 1]}))) == {"a": ["<é𠮷", None, 1]}
    assert json.loads(unpacked(packed_json(["\ud800"]))) == ["?"]


def test_packed_data_need_no_escape():
    assert not set(packed_json(["</script>", '"', "\\\n"] * 9)) & set('"\\<\n')


def test_a_name_in_a_script_opens_no_tag():
    assert packed_script("call", "</script>", 3, data=["a", "b"]) == 'call("\\u003c/script>",3,["a","b"]);\n'
