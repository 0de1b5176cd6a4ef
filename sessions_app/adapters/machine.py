"""What a measurement was made on: without it a figure says nothing."""

import os
import platform
from importlib import metadata
from pathlib import Path

from django.conf import settings
from django.db import connection

PACKAGES = ("Django", "psycopg", "pgvector", "numpy", "onnxruntime", "tokenizers", "PyStemmer")


def machine() -> dict[str, str | int | float]:
    """System, processor, cores and memory (GB)."""
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "system": platform.platform(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "memory_gb": round(pages * size / 1e9, 1),
    }


def versions() -> dict[str, str]:
    """Loam, Python, the database server with its vector extension, and the packages that have a say in the figures."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version'), coalesce(installed_version, default_version)"
            " FROM pg_available_extensions WHERE name = 'vector'"
        )
        server, vector = cursor.fetchone() or ("", "")
    return {
        "loam": settings.VERSION,
        "python": platform.python_version(),
        "postgresql": server,
        "vector": vector,
        **{name: metadata.version(name) for name in PACKAGES},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
