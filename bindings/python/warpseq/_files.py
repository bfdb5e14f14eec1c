"""Files that are named, or open already."""
from __future__ import annotations

import os
from typing import Any, BinaryIO


class opened:
    """A binary file object for a path or for such an object, which stays open then."""

    def __init__(self, file: str | os.PathLike[str] | BinaryIO) -> None:
        self._is_path = isinstance(file, (str, os.PathLike))
        self._file: Any = open(file, "wb") if isinstance(file, (str, os.PathLike)) else file

    def __enter__(self) -> BinaryIO:
        return self._file  # type: ignore[no-any-return]

    def __exit__(self, *_: object) -> None:
        if self._is_path:
            self._file.close()
