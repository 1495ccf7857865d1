"""Why something is no row."""

import pytest

from truerate.sources.rows import BadRow


def reason_of(call):
    """The reason and the words with which a call refuses a row."""
    with pytest.raises(BadRow) as bad:
        call()
    return bad.value.reason, bad.value.detail
