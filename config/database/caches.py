"""What `CACHE_URL` names, as Django's setting has it."""

from typing import Any

from environ import Env

# Rate limits of the login must count for all processes, so the cache is shared: the database, or Redis.
IN_DATABASE = {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "shared_cache"}
IN_REDIS = "config.database.fallback_cache.FallbackRedisCache"


def caches(url: str, *, prefix: str = "") -> dict[str, dict[str, Any]]:
    """Return the setting CACHES: the database's table without a URL; Redis goes on counting while it is away.

    `prefix`: what the keys of this cell begin with, for several may share a Redis, and their users have the same ids.
    """
    if not url:
        return {"default": dict(IN_DATABASE)}
    found = Env.cache_url_config(url, backend=IN_REDIS if url.startswith("redis") else None)
    return {"default": {**found, "KEY_PREFIX": prefix} if prefix else found}
