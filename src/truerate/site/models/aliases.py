"""results/models.yaml: what is known of the models on committed boards, and which names of which boards are one.

makers:                                   # a maker, and how tables and the names before a `/` spell it
  Meta: [meta, meta-llama]
models:
  - name: Llama-3.1-8B-Instruct           # also where a board writes an organisation of its maker before it
    maker: Meta
    weights: open                         # or closed
    billions: 8
    launched: 2024-07-23                  # or 2024-07
    names:                                # further names, each with the reason why it is this model
      - {name: meta-llama/Meta-Llama-3.1-8B-Instruct, why: renamed on the hub, boards: [faithbench]}
    see:                                  # models that it may be, and why that is not known
      - {model: Llama-3.1-8B, why: the board does not say whether base or instruct}
not_models:                               # people and rules among a board's models
  - {name: gold, boards: [faithdial-audit], why: replies of people}
"""

from collections import Counter
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from truerate.core.data_files import read_data
from truerate.core.errors import SourceError, listed, meant
from truerate.core.invisible import is_line


def _line(text: str) -> str:
    if not is_line(text) or not text.strip():
        raise ValueError("it must be one line of visible characters")
    return text


def _day(text: str) -> str:
    """A month or a day. Raises ValueError where the calendar has none such."""
    try:
        datetime.strptime(text, "%Y-%m" if len(text) == len("2024-07") else "%Y-%m-%d")
    except ValueError:
        raise ValueError("it must be a month or a day: 2024-07, 2024-07-23") from None
    return text


Line = Annotated[str, Field(max_length=500), AfterValidator(_line)]
Day = Annotated[
    str, BeforeValidator(lambda day: str(day) if isinstance(day, date) else day), AfterValidator(_day)
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Alias(_Strict):
    """A name as boards spell it, on `boards` (none: on all that have it), and why it is that of the entry;
    `setting`: what the name says of how the model was asked, `reasoning: low`.
    """

    name: Line
    why: Line
    boards: tuple[Line, ...] = ()
    setting: Line | None = None


class See(_Strict):
    """Another model that may be the same, and why nobody can tell."""

    model: Line
    why: Line


class Entry(_Strict):
    """A model: null is what its maker has not published."""

    name: Line
    maker: Line | None = None
    weights: Literal["open", "closed"] | None = None
    billions: float | None = Field(default=None, gt=0, strict=True)
    launched: Day | None = None
    names: tuple[Alias, ...] = ()
    see: tuple[See, ...] = ()


class Aliases(_Strict):
    """The whole file; an empty one where there is none."""

    makers: dict[Line, tuple[Line, ...]] = {}
    models: tuple[Entry, ...] = ()
    not_models: tuple[Alias, ...] = ()


def read_aliases(path: str | Path) -> Aliases:
    """The entries of a file; none where it is not there. Raises TruerateError, one line that names the entry."""
    path = Path(path)
    if not path.is_file():
        return Aliases()

    def built(values: Any) -> Aliases:
        refuse(not isinstance(values, dict), "it must hold makers, models, not_models")
        unknown = [key for key in values if key not in Aliases.model_fields]
        _refuse_unknown(unknown, Aliases, "")
        models = [_checked(Entry, raw, "model") for raw in values.get("models") or ()]
        for name, n in Counter(model.name for model in models).items():
            refuse(n > 1, f"model {name!r} stands twice")
        others = [_checked(Alias, raw, "not_models") for raw in values.get("not_models") or ()]
        try:
            return Aliases(makers=values.get("makers") or {}, models=models, not_models=others)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            raise SourceError(f"models.yaml: {'.'.join(map(str, fault['loc']))}: {fault['msg']}") from None

    return read_data(path, built)


def refuse(is_wrong: bool, message: str) -> None:
    """Raise SourceError, of models.yaml, where something is wrong."""
    if is_wrong:
        raise SourceError(f"models.yaml: {message}")


def _checked(kind: type, raw: Any, what: str) -> Any:
    """One entry. Raises SourceError, a line that names it."""
    refuse(not isinstance(raw, dict), f"{what} {str(raw)[:80]!r} is no entry with a name")
    where = f"{what} {str(raw.get('name', '(no name)'))[:80]!r}: "
    try:
        return kind(**raw)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        field = ".".join(map(str, fault["loc"]))
        if fault["type"] == "extra_forbidden":
            of = {"names": Alias, "see": See}.get(str(fault["loc"][0]), kind)
            _refuse_unknown([fault["loc"][-1]], of, where)
        what_is = fault["msg"].removeprefix("Value error, ").replace("Input should", "it must")
        given = "" if fault["type"] == "missing" else f" (got {str(fault['input'])[:80]!r})"
        raise SourceError(f"models.yaml: {where}{field}: {what_is}{given}") from None


def _refuse_unknown(unknown: list, kind: type[BaseModel], where: str) -> None:
    for key in unknown[:1]:
        allowed = list(kind.model_fields)
        refuse(True, f"{where}{key!r} is no field{meant(key, allowed)}; allowed: {listed(allowed)}")
