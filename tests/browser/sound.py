"""Whether axe finds anything on a page, in the light and in the dark."""

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page

# What is loaded beforehand (preload) is for a rule that is not among those in use.
RUN = "axe.run(%s, {resultTypes: ['violations'], preload: false%s})"
# A page is loaded once and follows the system's theme, as it does for people; colours alone differ (templates/styles).
# So every rule is asked in the light, and the rules of colours in the dark again.
# They are named: their category holds one of AAA, too, which is off otherwise and asks for a contrast of 7.
NAMES = ("color-contrast", "link-in-text-block")
COLOURS = f", runOnly: {list(NAMES)}"
ALL_BUT_COLOURS = f", rules: {{{', '.join(f'{name!r}: {{enabled: false}}' for name in NAMES)}}}"
# Colours are looked at where LOOKS has put its mark, and nowhere else, until axe is reset. Each rule has its elements.
MARKED = """axe.configure({rules: [
  {id: "color-contrast", selector: "[data-unseen]"}, {id: "link-in-text-block", selector: "a[href][data-unseen]"}]})"""
RESET = "axe.reset()"
READY = "typeof axe !== 'undefined'"
# What waits for an answer is pale for that long (aria-busy), and what appears fades in: not what people read.
STILL = """() => !document.querySelector("[aria-busy=true]") && document.getAnimations().every(
  (one) => one.playState !== "running" || one.effect.getComputedTiming().iterations === Infinity)"""
# What an element's colours hang on: its tag, classes and states and those of all it stands in, whether it is an even or
# an odd row, and how wide the window is. As a number, for pages are full of them.
LOOKS = """(known) => {
  const told = /^(class|type|role|style|open|hidden|aria-(current|checked|pressed|disabled|invalid|busy|selected))$/;
  const states = [":checked", ":disabled", ":focus"];
  const one = (e) => [
    e.tagName,
    ["TR", "LI"].includes(e.tagName) ? [...e.parentElement.children].indexOf(e) % 2 : "",
    ...[...e.attributes].filter(a => a.name !== "data-unseen")
      .map(a => told.test(a.name) ? `${a.name}=${a.value}` : a.name).sort(),
    ...states.filter(state => e.matches(state)),
  ].join(" ");
  const paths = new Map([[null, String(innerWidth)]]);
  const path = (e) => paths.get(e) ?? paths.set(e, `${path(e.parentElement)}>${one(e)}`).get(e);
  const number = (text) => {
    let [a, b] = [0xdeadbeef, 0x41c6ce57];
    for (let at = 0; at < text.length; at++) {
      a = Math.imul(a ^ text.charCodeAt(at), 2654435761);
      b = Math.imul(b ^ text.charCodeAt(at), 1597334677);
    }
    return (b >>> 0) * 2097152 + ((a >>> 0) >>> 11);
  };
  const speaks = (e) => e.matches("input, select, textarea, button, svg text")
    || [...e.childNodes].some(one => one.nodeType === 3 && one.data.trim());
  const seen = new Set(known), found = new Set();
  const visible = [...document.body.querySelectorAll("*")].filter(speaks).filter(e => e.checkVisibility());
  const looks = visible.map(e => [e, number(path(e))]);
  for (const [e, look] of looks) {
    e.toggleAttribute("data-unseen", !seen.has(look));
    if (!seen.has(look)) found.add(look);
  }
  return [...found];
}"""


def sound(page: Page, what: str, known: set[int] | None = None) -> None:
    """Fail where axe finds something.

    `known`: looks of elements whose colours were found right on pages before; those of this page are added. They are
    most of what axe has to do, and most of a page looks as the one before.
    """
    page.wait_for_load_state()  # what a form has led to may lack its style yet
    if not page.evaluate(READY):
        page.evaluate(AXE_SCRIPT)
    _be_still(page, "light")
    new = None if known is None else page.evaluate(LOOKS, list(known))
    if new:
        page.evaluate(MARKED)
    _none(page, f"{what}, light", RUN % ("document", ALL_BUT_COLOURS if new == [] else ""))
    if new == []:
        return
    _be_still(page, "dark")
    _none(page, f"{what}, dark", RUN % ("document", COLOURS))
    if known is not None and new:
        page.evaluate(RESET)
        known.update(new)


def _be_still(page: Page, theme: str) -> None:
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    if not page.evaluate(STILL):  # mostly it is, and to wait is to be asked at each frame
        page.wait_for_function(STILL)


def _none(page: Page, what: str, run: str) -> None:
    found = AxeResults(page.evaluate(run))
    assert found.violations_count == 0, f"{what}\n{found.generate_report()}"
