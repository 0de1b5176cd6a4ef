"""What Django and the product work out again in each test, though it hangs on nothing that a test changes: once."""

from functools import lru_cache
from typing import Any

from django.db.models.expressions import Col, Expression
from django.test import client as test_client
from django.utils.functional import cached_property
from whitenoise.middleware import WhiteNoiseMiddleware

from accounts.rules.guard import detection


def remember() -> None:
    """From now on in this process."""
    _look_for_static_files_once()
    _keep_one_context_of_each_template()
    _compare_columns_quickly()
    _look_for_secrets_once()


def _look_for_static_files_once() -> None:
    """The product lists its static files when it starts, some 280 of them; and a test's Client is a start each time."""
    look, found = WhiteNoiseMiddleware.add_files_from_finders, {}

    def add(self: WhiteNoiseMiddleware) -> None:
        if not found:
            look(self)
            found.update(self.files)
        self.files.update(found)

    WhiteNoiseMiddleware.add_files_from_finders = add


def _keep_one_context_of_each_template() -> None:
    """A test's client copies the context at each rendering of a template, so once for each row that includes one."""
    keep = test_client.store_rendered_templates

    def keep_first(store: dict[str, Any], signal: Any, sender: Any, template: Any, context: Any, **more: Any) -> None:
        if template.name not in (one.name for one in store.get("templates", [])):
            keep(store, signal, sender, template, context, **more)

    test_client.store_rendered_templates = keep_first


def _compare_columns_quickly() -> None:
    """Django compares the columns of a query that is ordered by what they were made of, and looks at the signature of
    what made them each time: a sixth of a small request. Here once for each column and alias.
    """
    identity, known = Expression.identity.func, {}

    def once(self: Col) -> Any:
        arguments, named = self._constructor_args
        made_of = (*arguments, *named.items())
        if made_of not in known:
            known[made_of] = identity(self)
        return known[made_of]

    Col.identity = cached_property(once)
    Col.identity.__set_name__(Col, "identity")


# What is longer is read each time: a test may look how long that takes.
LONGEST_REMEMBERED = 6_000


def _look_for_secrets_once() -> None:
    """What the guard's table sees in a text hangs on nothing but the text; thousands of tests tell the same few
    thousand, and the guard reads each several times: as it came, with its secrets masked, with reviewed terms.
    """
    look = detection._table_spans
    seen = lru_cache(8_192)(lambda text: tuple(look(text)))
    detection._table_spans = lambda text: seen(text) if len(text) <= LONGEST_REMEMBERED else look(text)
