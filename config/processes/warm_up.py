"""What a web process does before it takes its first request, so that nobody's prompt waits for it.

A prompt's hook is answered within 0.22 s or not at all. The first prompt to a new process took .33 s (the model had to
be loaded, statements compiled and planned), so that after each restart somebody was told nothing; with this, .13 s.
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

# Any words will do: the answer goes to nobody.
PROMPT = "How do we run the background jobs of the web server in production?"


def warm_up() -> None:
    """Loads all addresses, the embedding model, and what a prompt is answered with; changes nothing.

    What fails here fails again where it is needed, and is told there: a process without a model still answers.
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
    """Answers a prompt as for the member who was here last, and rolls back what that writes."""
    user = User.objects.filter(is_active=True).order_by("-last_login", "pk").first()
    if user is not None:
        with transaction.atomic():
            surface(prompt=PROMPT, by=member_of(user=user), now=timezone.now())
            transaction.set_rollback(True)
