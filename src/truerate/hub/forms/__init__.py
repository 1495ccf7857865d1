"""The samples of a board in the columns of a public format as well, so that whoever reads that format reads them.

A form is a module of this folder, named like the reader in `sources` that reads it back; its `in_form` gives the
configs that hold the samples of others once more.
"""

from collections.abc import Iterable, Sequence
from importlib import import_module
from pkgutil import iter_modules

from truerate.core.errors import TruerateError, listed
from truerate.hub.release import Config

FORMS = tuple(sorted(iter_module.name for iter_module in iter_modules(__path__)))


def in_forms(configs: Sequence[Config], forms: Iterable[str]) -> list[Config]:
    """The configs that hold the samples of `configs` once more, in the columns of each form.

    Raises TruerateError for a form that is not known. Configs without texts give none.
    """
    wanted = sorted(set(forms))
    if unknown := [name for name in wanted if name not in FORMS]:
        raise TruerateError(
            f"publishing in the columns of {unknown[0]!r}: not known; allowed: {listed(FORMS)}"
        )
    return [config for name in wanted for config in import_module(f"{__name__}.{name}").in_form(configs)]
