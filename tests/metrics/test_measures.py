"""Settings that name a measure."""

import pytest

from truerate.config.blocks import Encoder
from truerate.core.errors import TruerateError
from truerate.metrics.similarity import chrf, measure_of


def test_chrf_by_its_name():
    assert measure_of("chrf") is chrf


@pytest.mark.parametrize("named", ["no/where", Encoder(model="no/where", layer=2, baseline=0.8)])
def test_an_encoder_that_is_not_there(named, hub_here):
    with pytest.raises(TruerateError, match="no/where"):
        measure_of(named)
