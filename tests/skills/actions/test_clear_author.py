"""When a person is forgotten, what they taught stays without their name, and their own skills go."""

from datetime import datetime

from accounts.models import Team, User
from accounts.rules.rights import Level, Member
from sessions_app.actions.forget_person import forget_person
from skills.actions import author
from skills.models import Skill, SkillUse, SkillVersion
from tests.conftest import member_of, person
from tests.database import contents
from tests.factories import make_skill, make_skill_use


class TestDisown:
    def test_keeps_what_the_team_has_and_erases_their_own(self, platform: Team, alice: Member, now: datetime) -> None:
        user = person("zebedee", platform, Level.LEAD)
        zebedee = member_of(user=user)
        used = make_skill(zebedee)
        make_skill(zebedee, team="personal", name="mine", instructions="My salary is my own.")
        change = {"instructions": "My salary is still my own."}
        author.edit(name="mine", team="", changes=change, revision=None, by=zebedee, now=now)
        make_skill_use(used, zebedee, now)
        gone = forget_person(username="zebedee", now=now)
        assert {"skills": 1, "personal skills": 1, "uses of skills": 1}.items() <= gone.counts.items()
        skill = Skill.objects.get()
        version = SkillVersion.objects.get()
        assert (skill.name, skill.status, skill.author) == ("release", "published", None)
        assert (version.written_by, version.published_by) == (None, None)
        assert SkillUse.objects.get().session_key != f"user:{user.pk}"
        assert "salary" not in str(contents()) and "zebedee" not in str(contents())
        assert not User.objects.filter(username="zebedee").exists()
