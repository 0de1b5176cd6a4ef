"""Markdown of unknown origin becomes safe HTML, quickly."""

import re
import time

from knowledge.templatetags.markdown import excerpt, markdown, visible
from tests.cases import cases
from tests.pages import Faults

# Seconds of the processor: a page with several bodies must still come soon.
SOON = 1.0

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "handler": "<img src=x onerror=alert(1)>",
    "svg": "<svg><script>alert(1)</script></svg>",
    "svg handler": "<svg/onload=alert(1)>",
    "iframe": '<iframe src="https://evil.example"></iframe>',
    "style": "<style>body{display:none}</style>",
    "style attribute": '<p style="position:fixed;inset:0">over everything</p>',
    "form": '<form action="https://evil.example"><button>OK</button></form>',
    "meta refresh": '<meta http-equiv="refresh" content="0;url=https://evil.example">',
    "javascript link": "[x](javascript:alert(1))",
    "javascript in capitals": "[x](JaVaScRiPt:alert(1))",
    "javascript with entity": "[x](javascript&colon;alert(1))",
    "javascript with tab": "[x](java\tscript:alert(1))",
    "javascript autolink": "<javascript:alert(1)>",
    "vbscript link": "[x](vbscript:msgbox)",
    "data link": "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "data image": "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "remote image": "![x](https://evil.example/pixel.png)",
    "image by reference": "![x][p]\n\n[p]: https://evil.example/pixel.png",
    "javascript by reference": "[x][p]\n\n[p]: javascript:alert(1)",
    "protocol-relative link": "[x](//evil.example)",
    "link into the site": "[x](/accounts/logout/)",
    "attribute break-out": '[x](https://a.example/"onmouseover="alert(1))',
    "title break-out": "[x](https://a.example 'a\" onmouseover=\"alert(1)')",
    "language break-out": '```"><script>alert(1)</script>\ncode\n```',
    "class by language": "```btn-error fixed\ncode\n```",
    "html in code": "```html\n<script>alert(1)</script>\n```",
    "comment": "<!-- --><script>alert(1)</script>",
    "cdata": "<![CDATA[<script>alert(1)</script>]]>",
    "null": "<scr\x00ipt>alert(1)</scr\x00ipt>",
}
HEAVY = {
    "brackets": "[" * 20_000,
    "pictures": "![" * 10_000,
    "stars": "*a " * 7_000,
    "quotes": ">" * 20_000,
    "lists": "- " * 10_000,
    "ticks": "`a" * 10_000,
    "links": "[a](" * 5_000,
    "entities": "&#x" * 6_600,
    "table": "|a" * 4_000 + "\n" + "|-" * 4_000 + "\n" + "|a" * 2_000,
    "tags": "<b>" * 5_000,
    "one word": "x" * 20_000,
    "perl": "```perl\n" + "m{" * 9_000 + "\n```",
    "javascript": "```js\n" + "`${" * 6_000 + "\n```",
    "strings": "```python\n" + "'" * 19_000 + "\n```",
}
ALLOWED = re.compile(
    r"</?(?:a|blockquote|br|code|em|h[3-6]|hr|li|ol|p|pre|s|span|strong|table|tbody|td|th|thead|tr|ul)\b"
)


class TestHostileMarkdown:
    @cases("source", HOSTILE.values(), ids=HOSTILE.keys())
    def test_runs_nothing_fetches_nothing_and_loses_no_word(self, source: str) -> None:
        html = str(markdown(source))
        assert Faults(html).found == []
        assert set(re.findall(r"</?[a-z]+[0-9]?", html)) == set(ALLOWED.findall(html))
        links = re.findall(r'href="([^"]*)"', html)
        assert all(link.startswith(("http://", "https://", "mailto:")) for link in links)
        assert html.count("<a href") == html.count('rel="nofollow noopener noreferrer"') or not links
        assert not re.search(r'class="(?!hl"|far"|[a-z][a-z0-9]{0,2}")', html)

    @cases("source", HEAVY.values(), ids=HEAVY.keys())
    def test_is_rendered_soon(self, source: str) -> None:
        began = time.process_time()
        markdown(source)
        excerpt(source)
        assert time.process_time() - began < SOON

    def test_cannot_turn_a_line_around(self) -> None:
        source = "user\u202e\u2066evil\u2069\u202c and\u200b zero"
        assert "\u202e" not in markdown(source)
        assert visible(source) == "userevil and zero"


class TestMarkdown:
    def test_keeps_what_people_write(self) -> None:
        html = markdown("# Title\n\n*so* **it** is ~~not~~ `x`\n\n1. a\n2. b\n\n> said\n\n|a|b|\n|-|-|\n|1|2|\n")
        for part in ("<h3>Title</h3>", "<em>so</em>", "<strong>it</strong>", "<s>not</s>", "<code>x</code>"):
            assert part in html
        for part in ("<ol>", "<blockquote>", "<td>2</td>"):
            assert part in html

    def test_begins_headings_under_the_pages_own(self) -> None:
        assert markdown("# a\n\n##### b\n\n###### c") == "<h3>a</h3>\n<h6>b</h6>\n<h6>c</h6>\n"

    def test_colours_code_and_lets_the_keyboard_scroll_it(self) -> None:
        html = markdown("```python\nimport os\n```")
        assert '<pre class="hl" tabindex="0">' in html
        assert '<span class="kn">import</span>' in html

    @cases("source", ["```\na < b\n```", "```nonsense\na < b\n```", "    a < b\n"])
    def test_leaves_code_of_no_known_language_plain(self, source: str) -> None:
        assert markdown(source) == '<pre class="hl" tabindex="0"><code>a &lt; b\n</code></pre>\n'.rstrip("\n") or (
            "a &lt; b" in markdown(source) and "<span" not in markdown(source)
        )

    def test_shows_a_picture_as_a_link(self) -> None:
        html = markdown("![the plan](https://a.example/plan.png)")
        assert 'href="https://a.example/plan.png"' in html
        assert '<span class="far">image: the plan</span>' in html

    @cases("text", ["", None])
    def test_takes_nothing_for_nothing(self, text: str) -> None:
        assert markdown(text) == ""
        assert excerpt(text) == ""


class TestExcerpt:
    def test_is_words_without_marks(self) -> None:
        source = "# Head\n\n*so* `it` [is](https://a.example)\n\n```\ncode\n```\n\n<b>raw</b>"
        assert excerpt(source) == "Head so it is code <b>raw</b>"

    def test_ends_between_words(self) -> None:
        short = excerpt("word " * 100, 22)
        assert short == "word word word word …"

    def test_cuts_what_has_no_spaces(self) -> None:
        assert len(excerpt("x" * 5_000, 100)) <= 102
