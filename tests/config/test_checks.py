"""What keeps a production deployment from starting, and what it is told."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as project

from config.checks import deployment, refuse_to_start

SOUND: dict[str, Any] = {
    "PRODUCTION": True,
    "DEBUG": False,
    "SECRET_KEY_GIVEN": "kX8v2mQpL7wRz4TnB6yHc1JfD9sGaUeV0oIiWqNtM3",
    "ALLOWED_HOSTS": ["loam.acme.test"],
    "PUBLIC_URL": "https://loam.acme.test",
    "HTTPS": True,
    "SECURE_PROXY_SSL_HEADER": ("HTTP_X_FORWARDED_PROTO", "https"),
    "ALLAUTH_TRUSTED_PROXY_COUNT": 1,
    "CELERY_BROKER_URL": "redis://redis:6379/0",
    "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
    "LOAM_RATE_LIMIT": 600,
    "LOAM_TEAM_RATE_LIMIT": 6_000,
    "LOAM_AT_ONCE": 8,
    "POOL_SIZE": 8,
    "CACHES": {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://redis/1"}},
}
FAULTS = [
    ({"DEBUG": True}, "loam.E001"),
    ({"SECRET_KEY_GIVEN": ""}, "loam.E002"),
    ({"SECRET_KEY_GIVEN": "change-me-change-me-change-me-change-me-change-me"}, "loam.E003"),
    ({"SECRET_KEY_GIVEN": "django-insecure-kX8v2mQpL7wRz4TnB6yHc1JfD9sGaUeV0oI"}, "loam.E003"),
    ({"SECRET_KEY_GIVEN": SOUND["SECRET_KEY_GIVEN"][:39]}, "loam.E003"),
    ({"SECRET_KEY_GIVEN": "ab" * 30}, "loam.E003"),
    ({"ALLOWED_HOSTS": ["*"]}, "loam.E004"),
    ({"ALLOWED_HOSTS": ["localhost"]}, "loam.W001"),
    ({"PUBLIC_URL": "http://127.0.0.1:8000"}, "loam.W002"),
    ({"HTTPS": False}, "loam.W003"),
    ({"ALLAUTH_TRUSTED_PROXY_COUNT": 0}, "loam.W004"),
    ({"CELERY_BROKER_URL": "filesystem://localhost"}, "loam.W005"),
    ({"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}, "loam.W006"),
    ({"LOAM_RATE_LIMIT": 0}, "loam.W007"),
    ({"LOAM_TEAM_RATE_LIMIT": 0}, "loam.W007"),
    ({"LOAM_AT_ONCE": 0}, "loam.W010"),
    ({"LOAM_AT_ONCE": 9}, "loam.W011"),
    ({"POOL_SIZE": 0}, "loam.W008"),
    *(({"LOAM_CELL": name}, "loam.E012") for name in ("eu-1", "europe-west1", "1eu", "deadbeef", "eu_1", "default")),
    ({"CACHES": {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}}, "loam.W009"),
    ({"MISSPELT_VARIABLES": {"LOAM_RATELIMIT": "LOAM_RATE_LIMIT"}}, "loam.W015"),
    *(({name: "package.that.is.Nowhere"}, "loam.E013") for name in ("LOAM_EMBEDDER", "LOAM_OUTSIDE", "LOAM_JUDGE")),
]


@pytest.fixture
def sound(settings: Any) -> Any:
    for name, value in SOUND.items():
        setattr(settings, name, value)
    return settings


class TestADeployment:
    def test_that_is_sound_is_told_nothing(self, sound: Any) -> None:
        assert deployment() == []
        refuse_to_start()

    @pytest.mark.parametrize(
        ("cache", "staleness", "host", "code"),
        [
            ("redis.RedisCache", 5.0, "standby", ""),
            ("redis.RedisCache", 5.0, "primary", "loam.W012"),
            ("locmem.LocMemCache", 5.0, "standby", "loam.E011"),
            ("db.DatabaseCache", 5.0, "standby", "loam.W013"),
            ("redis.RedisCache", 0.0, "standby", "loam.W014"),
            ("redis.RedisCache", 600.0, "standby", "loam.W014"),
        ],
    )
    def test_that_reads_a_standby_is_told_what_is_unsafe(
        self, sound: Any, monkeypatch: pytest.MonkeyPatch, cache: str, staleness: float, host: str, code: str
    ) -> None:
        address = {"PORT": "5432", "NAME": "loam"}
        monkeypatch.setitem(project.DATABASES, "default", {**address, "HOST": "primary"})
        monkeypatch.setitem(project.DATABASES, "replica", {**address, "HOST": host})
        sound.CACHES = {"default": {"BACKEND": f"django.core.cache.backends.{cache}"}}
        sound.DATABASE_REPLICA_STALENESS = staleness
        told = {message.id for message in deployment()} - {"loam.W009"}
        assert told == ({code} if code else set())

    @pytest.mark.parametrize(("over", "code"), FAULTS, ids=[f"{code}-{n}" for n, (_, code) in enumerate(FAULTS)])
    def test_with_one_fault_is_told_of_it_and_how_to_mend_it(self, sound: Any, over: dict[str, Any], code: str) -> None:
        for name, value in over.items():
            setattr(sound, name, value)
        found = deployment()
        assert [message.id for message in found] == [code]
        assert found[0].hint
        assert found[0].is_serious() == code.startswith("loam.E")
        if found[0].is_serious():
            with pytest.raises(SystemExit, match=code):
                refuse_to_start()

    def test_on_ones_own_machine_may_be_anything(self, sound: Any) -> None:
        sound.PRODUCTION, sound.DEBUG, sound.SECRET_KEY_GIVEN = False, True, ""
        assert deployment() == []


class TestAWebProcess:
    @pytest.mark.slow
    def test_does_not_start_with_debug(self, tmp_path: Path) -> None:
        given = {"PRODUCTION": "on", "DEBUG": "on", "SECRET_KEY": SOUND["SECRET_KEY_GIVEN"], "LOAM_VAR": str(tmp_path)}
        told = subprocess.run(
            [sys.executable, "-c", "import config.wsgi"],
            cwd=project.BASE_DIR,
            env={**os.environ, **given},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert told.returncode == 1
        assert "loam.E001: DEBUG is on" in told.stderr and "Unset DEBUG." in told.stderr
        assert SOUND["SECRET_KEY_GIVEN"] not in told.stderr
