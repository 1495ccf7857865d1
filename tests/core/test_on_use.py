"""Packages that come when something of them is used."""

import sys

import pytest

from truerate.core.on_use import on_use

FILES = {
    "__init__.py": "from . import heavy\nfrom .heavy.light import WEIGHT\n",
    "heavy/__init__.py": "import sys\nsys.heavy_came = True\nfrom .light import WEIGHT as LIGHT\nHEAVY = 100\n",
    "heavy/light.py": "WEIGHT = 1\n",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package whose part `heavy` notes when its code runs, and is gone after the test."""
    for name, code in FILES.items():
        path = tmp_path / "luggage" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "heavy_came", False, raising=False)
    yield "luggage"
    for name in [name for name in sys.modules if name.split(".")[0] == "luggage"]:
        del sys.modules[name]


def test_a_part_comes_when_a_name_of_it_is_used_and_its_modules_before(package):
    with on_use("luggage.heavy", "luggage.absent"):
        import luggage
    assert luggage.WEIGHT == 1 and not sys.heavy_came
    assert not hasattr(luggage.heavy, "__all__") and not sys.heavy_came
    from luggage.heavy import LIGHT

    assert LIGHT == 1 and luggage.heavy.HEAVY == 100 and sys.heavy_came
    with pytest.raises(AttributeError, match="no attribute 'missing'"):
        _ = luggage.heavy.missing


def test_what_is_imported_elsewhere_comes_at_once(package):
    with on_use("luggage.other"):
        import luggage
    assert luggage.heavy.HEAVY == 100 and sys.heavy_came


def test_nothing_is_left_among_the_finders(package):
    before = list(sys.meta_path)
    with pytest.raises(ImportError), on_use("luggage.heavy"):
        import luggage.nothing  # noqa: F401
    assert sys.meta_path == before
