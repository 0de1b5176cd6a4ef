"""A cell: one Loam with a database of its own. Its name stands in the tokens that it issues, so that a router can tell.

    loam_eu1_1a2b3c4d_<43>    issued in the cell eu1
    loam_1a2b3c4d_<43>        issued where LOAM_CELL is not set

A name has at most seven letters and digits and begins with a letter, so it is never taken for the eight digits that a
token without a cell has in its place.
"""

import re

_NAME = "[a-z][a-z0-9]{0,6}"
_WHOLE = re.compile(rf"{_NAME}\Z")
_OF_A_CELL = re.compile(rf"loam_({_NAME})_[0-9a-f]{{8}}_")


def is_cell_name(name: str) -> bool:
    return _WHOLE.match(name) is not None


def public_part(cell: str, drawn: str) -> str:
    """Return what a token begins with; `drawn`: eight hexadecimal digits of its own."""
    return f"loam_{cell}_{drawn}" if cell else f"loam_{drawn}"


def cell_of(token: str) -> str:
    """Return the cell that a token says it was issued in; "" if it names none."""
    found = _OF_A_CELL.match(token)
    return found[1] if found else ""
