"""A claimed path is shown to colleagues and logged."""

from datetime import datetime

import pytest

from accounts.models import LogEntry
from accounts.rules.rights import Member
from sessions_app.actions.claims import SecretInClaim, claim
from sessions_app.models import Claim
from tests.sessions_app.sitting import begin

SECRET = "ghp_" + "a8Kq2Zx9Lm4Rt7Vb1Nc6Wd3Ye5Uf0PgHjTs"


def test_a_path_with_a_secret_is_refused_by_its_field(bob: Member, now: datetime) -> None:
    session = begin(bob, now).session
    with pytest.raises(SecretInClaim) as refused:
        claim(name=session.key, files=["a.py", f"a/{SECRET}"], release=[], by=bob, now=now)
    assert list(refused.value.errors) == ["files"] and SECRET not in str(refused.value.errors)
    assert not Claim.objects.exists() and not LogEntry.objects.filter(verb="files claimed").exists()
