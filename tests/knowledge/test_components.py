"""The parts that pages are made of, and the page that shows all of them."""

from pathlib import Path

from django.template import Context, Template
from django.test import override_settings
from django.urls import reverse

from tests.cases import cases
from tests.pages import Faults, signed_in

ROOT = Path(__file__).resolve().parents[2]


def shown(source: str, **values: object) -> str:
    return " ".join(Template(source).render(Context(values)).split())


class TestTheGallery:
    @override_settings(DEBUG=True)
    def test_shows_every_component(self, alice_user):
        page = signed_in(alice_user).get(reverse("knowledge:components"))
        used = {template.name for template in page.templates}
        own = {f"components/{path.name}" for path in (ROOT / "templates/components").glob("*.html")}
        # These two are filters of a page's own form.
        assert own - used == {"components/filters.html", "components/table_filters.html"}
        assert Faults(page.content.decode()).found == []

    def test_is_not_there_in_production(self, alice_user):
        assert signed_in(alice_user).get(reverse("knowledge:components")).status_code == 404

    @override_settings(DEBUG=True)
    def test_asks_for_a_login(self, client):
        assert client.get(reverse("knowledge:components")).status_code == 302


class TestAComponent:
    HOSTILE = '<script>alert(1)</script>" onclick="x'

    @cases(
        "source",
        [
            '{% panel hostile id="a" hint=hostile %}{{ hostile }}{% endpanel %}',
            '{% note "info" title=hostile %}{{ hostile }}{% endnote %}',
            '{% conflict_notice hostile id="a" who=hostile %}{{ hostile }}{% endconflict_notice %}',
            "{% fold hostile about=hostile %}{{ hostile }}{% endfold %}",
            "{% breadcrumb hostile hostile %}",
            '{% button hostile about=hostile name="a" value=hostile %}',
            '{% post_button hostile "/" about=hostile field="a" sent=hostile %}',
            "{% empty_state hostile hostile hostile hostile %}",
            "{% pagination hostile hostile hostile %}",
            "{% badge hostile %}",
        ],
    )
    def test_escapes_what_it_is_given(self, source: str) -> None:
        html = shown(source, hostile=self.HOSTILE)
        assert "&lt;script&gt;" in html
        assert "<script>" not in html
        assert '" onclick' not in html

    def test_panel_is_named_by_its_heading(self) -> None:
        html = shown('{% panel "History" id="history" %}<p>x</p>{% endpanel %}')
        assert 'aria-labelledby="history-title"' in html
        assert '<h2 id="history-title" class="panel-title">History</h2>' in html
        assert "<p>x</p>" in html

    def test_breadcrumb_takes_names_of_views_and_paths(self) -> None:
        html = shown('{% breadcrumb "Skills" "skills:skills" "release" up %}', up="/skills/platform/release/")
        assert 'href="/skills/"' in html
        assert 'href="/skills/platform/release/"' in html

    def test_post_button_carries_the_token_and_its_fields(self) -> None:
        html = shown('{% post_button "Stop" "/jobs/1/stop/" "danger" field="a" sent=7 %}', csrf_token="t0ken")
        assert 'name="csrfmiddlewaretoken" value="t0ken"' in html
        assert '<input type="hidden" name="a" value="7">' in html
        assert 'class="btn btn-ghost text-error"' in html

    def test_pagination_is_nothing_where_there_is_one_page(self) -> None:
        assert shown("{% pagination '' '' %}") == ""
