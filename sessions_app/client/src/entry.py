"""What runs before the rest of the file is executed."""

from __future__ import annotations
