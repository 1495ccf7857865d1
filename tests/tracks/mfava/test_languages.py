"""The languages that the track can speak of."""

import csv

import pytest
import regex

from truerate.config import load_params
from truerate.core.errors import TruerateError
from truerate.core.languages import LANGUAGES
from truerate.tracks.mfava.context import check_languages, language

from .tiny_wiki import ROOT


def test_names_codes_and_scripts_are_whole():
    assert set(load_params(ROOT / "params.yaml").tracks["mfava"].languages) <= set(LANGUAGES)
    assert (
        len({spoken.name for spoken in LANGUAGES.values()})
        == len({spoken.nllb for spoken in LANGUAGES.values()})
        == len(LANGUAGES)
    )
    for entry in LANGUAGES.values():
        regex.compile(
            "".join(rf"\p{{{script}}}" for script in entry.scripts)
        )  # raises for a script that Unicode does not know


def test_unknown_codes_and_missing_languages_are_told():
    check_languages("b", ("en", "de"), ("de", "en", "fr"), source="s")
    with pytest.raises(TruerateError, match="unknown language code 'english'; known: ar, "):
        language("english")
    with pytest.raises(
        TruerateError,
        match="board 'b': source 's' has nothing in language 'tr'; it has: de, en; take 'tr' out",
    ):
        check_languages("b", ("en", "tr"), ("de", "en"), source="s")


def test_the_table_of_languages_names_them_alike():
    with (ROOT / "src/truerate/tracks/mfava/languages.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["lang"]: row["name"] for row in csv.DictReader(file)}
    assert rows and rows == {code: language(code).name for code in rows}
