"""What evidence search keeps is found by those who clean up: the retro-scan, and forgetting a person."""

from collections.abc import Callable
from datetime import datetime

from accounts.models import User
from accounts.rules.rights import Member
from knowledge.evidence.actions.clear_author import clear_searches
from knowledge.evidence.actions.search import EvidenceAnswer
from knowledge.evidence.models import ClusterQuestion, Evidence, KnowledgeCluster, Search
from knowledge.evidence.rules.reuse import ReuseMode
from sessions_app.actions.scan import scan_all
from tests.factories import make_cluster

QUESTION = "how do I list the largest files in a git repository"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
Ask = Callable[..., EvidenceAnswer]


class TestRetroScan:
    def test_masks_secrets_that_were_kept_before_the_guard_knew_them(self, ask: Ask, now: datetime) -> None:
        ask(QUESTION, ReuseMode.DEEP)
        KnowledgeCluster.objects.update(content=f"Use {TOKEN}.", patterns=[f"Always {TOKEN}."])
        Evidence.objects.update(text=f"token {TOKEN}")
        ClusterQuestion.objects.update(text=f"what is {TOKEN}")
        Search.objects.update(text=f"where is {TOKEN}")
        scan_all(now=now)
        cluster = KnowledgeCluster.objects.get()
        kept = [cluster.content, *cluster.patterns, *(one.text for one in cluster.evidences.all())]
        kept += [one.text for one in (*ClusterQuestion.objects.all(), *Search.objects.all())]
        assert not any(TOKEN in text for text in kept)
        assert all("[SECRET]" in text for text in kept)


class TestForgetting:
    def test_takes_what_was_asked_and_their_own_clusters(self, ask: Ask, bob: Member, bob_user: User) -> None:
        shared = ask(QUESTION, ReuseMode.DEEP, by=bob).cluster
        assert shared and bob.personal
        make_cluster(bob.personal.id)
        assert clear_searches(user=bob_user) == {"searches": 1, "clusters": 1}
        assert list(KnowledgeCluster.objects.values_list("ref", flat=True)) == [shared.ref]
        assert not Search.objects.exists()
