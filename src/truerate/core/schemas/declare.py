"""How a table is declared: its columns with their types, what they may hold, and the rules that join them."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from truerate.core.schemas.at_once import Keeps, keeps
from truerate.core.schemas.checker import pandera

if TYPE_CHECKING:
    import pandera.polars as pa

PAIRS = pl.List(pl.Struct({"key": pl.String, "value": pl.String}))
SPANS = pl.List(pl.Struct({"start": pl.Int64, "end": pl.Int64, "type": pl.String, "p": pl.Float64}))
DIGITS = 6  # of every saved value, so that the same inputs give the same bytes
TYPES: dict[object, Any] = {str: pl.String, bool: pl.Boolean, int: pl.Int64, float: pl.Float64}


class FieldRules(NamedTuple):
    """What holds of a column's values beside their type; `kind` is the type where no annotation can name it."""

    unique: bool = False
    nullable: bool = False
    isin: Sequence[str] | None = None
    ge: float | None = None
    le: float | None = None
    kind: pl.DataType | None = None
    like: str | None = None  # a pattern of the whole text


def Field(  # noqa: N802
    *,
    unique: bool = False,
    nullable: bool = False,
    isin: Sequence[str] | None = None,
    ge: float | None = None,
    le: float | None = None,
    kind: pl.DataType | None = None,
    like: str | None = None,
) -> Any:
    """The rules of a column, as the value of its annotation in a table's class."""
    return FieldRules(unique, nullable, isin, ge, le, kind, like)


class Table:
    """What all tables share: exactly the declared columns in order; `RULES` hold of every row, by name."""

    RULES: Mapping[str, pl.Expr] = {}

    @classmethod
    def fields(cls) -> dict[str, tuple[Any, FieldRules]]:
        """The type of each column and what holds of its values."""
        declared = {name: TYPES.get(kind, kind) for name, kind in vars(cls)["__annotations__"].items()}
        rules = {name: getattr(cls, name, FieldRules()) for name in declared}
        return {
            name: (kind if rules[name].kind is None else rules[name].kind, rules[name])
            for name, kind in declared.items()
        }

    @classmethod
    @cache
    def to_schema(cls, columns: tuple[str, ...] | None = None) -> "pa.DataFrameSchema":
        """The pandera schema of the table or of `columns`, made once per process; a null passes all but `nullable`."""
        fields = cls.fields()
        taken = tuple(fields) if columns is None else columns
        checker = pandera()

        def column(kind: Any, rule: FieldRules) -> "pa.Column":
            bounds = {"isin": rule.isin, "ge": rule.ge, "le": rule.le}
            checks = [
                getattr(checker.Check, name)(value) for name, value in bounds.items() if value is not None
            ]
            checks += [checker.Check.str_matches(f"^(?:{rule.like})$")] if rule.like is not None else []
            return checker.Column(kind, checks, nullable=rule.nullable, unique=rule.unique)

        return checker.DataFrameSchema(
            {name: column(*fields[name]) for name in taken},
            [
                checker.Check(lambda data, rule=rule: data.lazyframe.select(rule), error=rule_name)
                for rule_name, rule in cls.RULES.items()
                if set(rule.meta.root_names()) <= set(taken)
            ],
            name=cls.__name__,
            strict=True,
            ordered=True,
        )

    @classmethod
    @cache
    def keeps(cls, columns: tuple[str, ...] | None = None) -> Keeps | None:
        """What tells at once that a frame keeps that schema; None where only pandera can. Made once per process."""
        return keeps(cls.to_schema(columns))


def schema(table: type[Table]) -> pl.Schema:
    """The polars schema of a table, names in order."""
    return pl.Schema({name: kind for name, (kind, _) in table.fields().items()})


def frame(table: type[Table], rows: list[dict[str, Any]] | None = None) -> pl.DataFrame:
    """Rows as a frame of the table's schema; no rows give an empty frame. Missing keys become null."""
    return pl.DataFrame(rows or [], schema=schema(table), orient="row")


def of_columns(table: type[Table], columns: Mapping[str, Any]) -> pl.DataFrame:
    """A frame of the table's schema from all of its columns: values, or one value for all rows. Lists of
    structs are read as rows, ten times faster than as columns.
    """
    kinds = schema(table)
    nested = {name: kind for name, kind in kinds.items() if isinstance(kind, pl.List)}
    plain = {name: kind for name, kind in kinds.items() if name not in nested}
    rows = [
        dict(zip(nested, row, strict=True)) for row in zip(*(columns[name] for name in nested), strict=True)
    ]
    data = pl.DataFrame({name: columns[name] for name in plain}, schema=plain)
    lists = pl.from_dicts(rows, schema=nested) if rows else pl.DataFrame(schema=nested)
    return data.hstack(lists).select(kinds.names()) if nested else data
