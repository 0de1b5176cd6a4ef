"""What the store holds of what a trial was answered: each once, and whole. Run by `manage.py shell`."""

import json
import sys
from collections import Counter
from typing import Any

from django.utils import timezone

from knowledge.actions.audit import audit
from knowledge.models import Corroboration, Insight, Receipt


def kept(answered: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """Raises AssertionError naming what is lost, doubled or half-written. `answered`: key → (text, reference)."""
    said = Counter(text for text, _ in answered.values())
    rows = Counter(Insight.objects.filter(body__in=list(said)).values_list("body", flat=True))
    again = Counter(Corroboration.objects.filter(body__in=list(said)).values_list("body", flat=True))
    wrong = {text: (n, rows[text], again[text]) for text, n in said.items() if rows[text] + again[text] != n}
    assert not wrong, f"answered, rows, told again: {wrong}"
    receipts = dict(Receipt.objects.filter(key__in=list(answered)).values_list("key", "insight__ref"))
    assert receipts == {key: ref for key, (_, ref) in answered.items()}, "an answer and its receipt differ"
    faults = [str(fault) for fault in audit(now=timezone.now())]
    assert not faults, faults
    return {"rows": rows.total(), "told again": again.total(), "faults": 0}


def main() -> None:
    sys.stdout.write(json.dumps(kept(json.load(sys.stdin))) + "\n")
