"""How a table is declared: its columns with their types, what they may hold, and the rules that join them.

One declaration, two forms of the same checks: a query of polars, which tells in less than a millisecond
whether a frame keeps it, and a pandera schema, which says what is wrong with one that does not. Pandera asks
a question of its own for each column and check (10 to 20 ms for a table of few rows) and takes half a second
to import, so it is asked about faults alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

if TYPE_CHECKING:
    import pandera.polars as pa

PAIRS = pl.List(pl.Struct({"key": pl.String, "value": pl.String}))
SPANS = pl.List(pl.Struct({"start": pl.Int64, "end": pl.Int64, "type": pl.String, "p": pl.Float64}))
DIGITS = 6  # of every saved value, so that the same inputs give the same bytes
TYPES: dict[object, Any] = {str: pl.String, bool: pl.Boolean, int: pl.Int64, float: pl.Float64}


class FieldRules(NamedTuple):
    """What holds of a column's values beside their type; `kind`: a type that no annotation can name."""

    unique: bool = False
    nullable: bool = False
    isin: Sequence[str] | None = None
    ge: float | None = None
    le: float | None = None
    kind: pl.DataType | None = None
    like: str | None = None  # a pattern of the whole text

    def checks(self, column: pl.Expr, *, is_float: bool) -> Iterator[pl.Expr]:
        """One true or false of a frame for each of these rules; a null passes all but `nullable`."""
        if not self.nullable:
            yield column.null_count() == 0
            if is_float:  # pandera takes NaN for a missing number
                yield ~column.is_nan().any()
        if self.unique:
            yield column.n_unique() == pl.len()
        if self.isin is not None:
            yield column.is_in(list(self.isin)).all()
        if self.ge is not None:
            yield (column >= self.ge).all()
        if self.le is not None:
            yield (column <= self.le).all()
        if self.like is not None:
            yield column.str.contains(f"^(?:{self.like})$").all()


def Field(**rules: Any) -> Any:  # noqa: N802
    """The rules of a column (`FieldRules`), as the value of its annotation in a table's class."""
    return FieldRules(**rules)


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
    def rules_of(cls, columns: tuple[str, ...]) -> dict[str, pl.Expr]:
        """Those of `RULES` that read no other columns than these."""
        return {name: rule for name, rule in cls.RULES.items() if set(rule.meta.root_names()) <= set(columns)}

    @classmethod
    @cache
    def whole_check(cls, columns: tuple[str, ...] | None = None) -> tuple[pl.Schema, pl.Expr]:
        """Schema of the table or of `columns`, and one expression: whether a frame of it keeps all rules."""
        fields = cls.fields()
        taken = tuple(fields) if columns is None else columns
        checks = [rule.all() for rule in cls.rules_of(taken).values()]
        for name in taken:
            kind, rules = fields[name]
            checks += rules.checks(pl.col(name), is_float=kind == pl.Float64)
        whole = pl.all_horizontal(checks) if checks else pl.lit(True)
        return pl.Schema({name: fields[name][0] for name in taken}), whole

    @classmethod
    def is_kept_by(cls, data: pl.DataFrame, columns: tuple[str, ...] | None = None) -> bool:
        """Return whether a frame keeps the table's declaration (of `columns`): names in order, types, rules."""
        kinds, whole = cls.whole_check(columns)
        return data.schema == kinds and data.select(whole).item() is True

    @classmethod
    @cache
    def to_schema(cls, columns: tuple[str, ...] | None = None) -> "pa.DataFrameSchema":
        """The pandera schema of the table or of `columns`; a null passes all but `nullable`."""
        import pandera.polars as pa

        fields = cls.fields()
        taken = tuple(fields) if columns is None else columns

        def column(kind: Any, rule: FieldRules) -> pa.Column:
            bounds = {"isin": rule.isin, "ge": rule.ge, "le": rule.le}
            checks = [getattr(pa.Check, name)(value) for name, value in bounds.items() if value is not None]
            checks += [pa.Check.str_matches(f"^(?:{rule.like})$")] if rule.like is not None else []
            return pa.Column(kind, checks, nullable=rule.nullable, unique=rule.unique)

        rules = [
            pa.Check(lambda data, rule=rule: data.lazyframe.select(rule), error=name)
            for name, rule in cls.rules_of(taken).items()
        ]
        columns_of_schema = {name: column(*fields[name]) for name in taken}
        return pa.DataFrameSchema(columns_of_schema, rules, name=cls.__name__, strict=True, ordered=True)


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
