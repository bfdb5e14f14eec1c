"""Tables of results for pandas, Arrow and notebooks. Neither pandas nor pyarrow has to be installed."""
from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pandas
    import pyarrow

MOST_ROWS_SHOWN = 50


class HasColumns(Protocol):
    """Results that have columns."""

    def columns(self) -> dict[str, list[Any]]: ...

    def _examples(self) -> dict[str, Any]: ...


def to_pandas(hits: HasColumns) -> "pandas.DataFrame":
    """Returns the table as a pandas.DataFrame. A table without rows has the types of others."""
    import pandas
    examples = hits._examples()
    return pandas.DataFrame({name: pandas.Series(values, dtype=pandas.Series([examples[name]]).dtype)
                             for name, values in hits.columns().items()})


def to_arrow(hits: Any) -> "pyarrow.Table":
    """Returns the table as a pyarrow.Table."""
    import pyarrow
    return pyarrow.table(hits)


def shown(value: object) -> str:
    """Returns a value as tables for people show it."""
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def as_html(hits: HasColumns) -> str:
    """Returns the table as HTML, for notebooks. A long table is cut, and says so."""
    columns = hits.columns()
    rows = list(zip(*columns.values()))
    cells = "".join("<tr>" + "".join(f"<td>{html.escape(shown(value))}</td>" for value in row) + "</tr>"
                    for row in rows[:MOST_ROWS_SHOWN])
    heads = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    rest = f"<p>{len(rows) - MOST_ROWS_SHOWN} more rows</p>" if len(rows) > MOST_ROWS_SHOWN else ""
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{cells}</tbody></table>{rest}"


def as_html_text(alignment: object) -> str:
    """Returns an alignment as HTML, for notebooks."""
    return f"<pre>{html.escape(str(alignment))}</pre>"
