"""The OpenAPI schema: agents' tools are made of it, so what it says must be so."""

from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema


class TestTheSchema:
    def test_is_made_without_a_warning_and_valid(self) -> None:
        """Two shapes of one name are among what is warned of: one would stand for both."""
        GENERATOR_STATS.reset()
        with GENERATOR_STATS.silence():
            schema = SchemaGenerator().get_schema(request=None, public=True)
        assert dict(GENERATOR_STATS._warn_cache) == dict(GENERATOR_STATS._error_cache) == {}
        validate_schema(schema)
