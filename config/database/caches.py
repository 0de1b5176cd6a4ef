"""Django's CACHES setting for `CACHE_URL`."""

from typing import Any

from environ import Env

# Login rate limits must count for all processes, so the cache is shared: in the database, or in Redis.
IN_DATABASE = {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "shared_cache"}
IN_REDIS = "config.database.fallback_cache.FallbackRedisCache"


def caches(url: str, *, prefix: str = "") -> dict[str, dict[str, Any]]:
    """Return the setting CACHES: the database's table without a URL; with Redis, login attempts are still counted while
    it is down.

    `prefix`: of this cell's keys, because several cells may share a Redis, and their users have the same ids.
    """
    if not url:
        return {"default": dict(IN_DATABASE)}
    found = Env.cache_url_config(url, backend=IN_REDIS if url.startswith("redis") else None)
    return {"default": {**found, "KEY_PREFIX": prefix} if prefix else found}
