"""Cells may share a Redis: the keys of each begin with its name."""

import os
import subprocess
import sys

from django.conf import settings

from config.database.caches import caches

ASK = (
    "import django; django.setup(); from django.conf import settings as s; from django.core.cache import cache;"
    "print(cache.make_key('k'), s.CELERY_BROKER_TRANSPORT_OPTIONS['global_keyprefix'])"
)


def test_keys_of_a_cell_begin_with_its_name() -> None:
    assert caches("redis://redis/1", prefix="eu1")["default"]["KEY_PREFIX"] == "eu1"
    assert "KEY_PREFIX" not in caches("redis://redis/1")["default"]


def test_so_do_its_queues() -> None:
    given = {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing",
        "PRODUCTION": "off",
        "CELERY_BROKER_URL": "redis://127.0.0.1:1/0",
        "CACHE_URL": "redis://127.0.0.1:1/1",
        "LOAM_CELL": "eu1",
    }
    done = subprocess.run(
        [sys.executable, "-c", ASK], env=os.environ | given, cwd=settings.BASE_DIR, capture_output=True, text=True
    )
    assert done.stdout.split() == ["eu1:1:k", "eu1:"], done.stderr
