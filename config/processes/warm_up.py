"""Warm up a web process before its first request, so that no prompt has to wait for it.

A prompt's hook is answered within 0.22 s or not at all. The first prompt to a new process took .33 s (the model was
loaded, statements were compiled and planned), so after each restart somebody got no answer; with the warm-up it takes
.13 s.
"""

import logging

from django.db import DatabaseError, connection, transaction
from django.urls import get_resolver
from django.utils import timezone

from accounts.actions.members import member_of
from accounts.models import User
from knowledge.adapters import embedder
from sessions_app.answers.actions.surface import surface

logger = logging.getLogger(__name__)

# Any words will do: nobody gets the answer.
PROMPT = "How do we run the background jobs of the web server in production?"


def warm_up() -> None:
    """Load all URLs, the embedding model, and everything that answering a prompt needs; change nothing.

    A failure here is repeated where the part is needed, and reported there: a process without a model still answers.
    """
    get_resolver().reverse_dict  # noqa: B018 - filled by the first look
    try:
        embedder.current().embed([PROMPT])
        _ask()
    except (embedder.EmbedderDown, DatabaseError) as error:
        logger.warning("The first question will take longer: %s", error)
    finally:
        connection.close()


def _ask() -> None:
    """Answer a prompt as the member who was active last, and roll back what that writes."""
    user = User.objects.filter(is_active=True).order_by("-last_login", "pk").first()
    if user is not None:
        with transaction.atomic():
            surface(prompt=PROMPT, by=member_of(user=user), now=timezone.now())
            transaction.set_rollback(True)
