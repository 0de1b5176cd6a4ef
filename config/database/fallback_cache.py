"""The shared cache in Redis. While Redis is down, each process counts login attempts by itself.

Otherwise nobody could log in. All other users of the cache get an error, and handle it: a log position that only one
process remembers would be wrong for the others (middleware/replica.py).
"""

from collections.abc import Callable
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

# The prefix of allauth's counters.
ATTEMPTS = "allauth:"


class FallbackRedisCache(RedisCache):
    """A Redis cache that counts login attempts in this process while Redis is down."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._own = LocMemCache("attempts", params)

    def add(self, key: Any, *given: Any, **named: Any) -> Any:
        return self._ask(super().add, self._own.add, key, *given, **named)

    def get(self, key: Any, *given: Any, **named: Any) -> Any:
        return self._ask(super().get, self._own.get, key, *given, **named)

    def set(self, key: Any, *given: Any, **named: Any) -> Any:
        return self._ask(super().set, self._own.set, key, *given, **named)

    def delete(self, key: Any, *given: Any, **named: Any) -> Any:
        return self._ask(super().delete, self._own.delete, key, *given, **named)

    def _ask(self, shared: Callable[..., Any], own: Callable[..., Any], key: Any, *given: Any, **named: Any) -> Any:
        try:
            return shared(key, *given, **named)
        except RedisError:
            if not str(key).startswith(ATTEMPTS):
                raise
            return own(key, *given, **named)
