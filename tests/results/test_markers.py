"""Text between two markers of a file, and a file without them."""

import pytest

from truerate.core.errors import TruerateError
from truerate.results.markers import write_between


def test_text_is_put_between_markers_and_nowhere_else(tmp_path):
    page = tmp_path / "README.md"
    page.write_text("a\n<!-- x -->\nold\n<!-- /x -->\nb\n")
    write_between(page, "x", "new")
    assert page.read_text() == "a\n<!-- x -->\nnew\n<!-- /x -->\nb\n"
    with pytest.raises(TruerateError, match="has no markers"):
        write_between(page, "y", "new")
    assert "new" in page.read_text()
