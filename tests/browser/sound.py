"""Whether axe finds anything on a page, in the light and in the dark."""

from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.sync_api import Page

# What is loaded beforehand (preload) is for a rule that is not among those in use.
RUN = "axe.run({resultTypes: ['violations'], preload: false%s})"
# A page is loaded once and follows the system's theme, as it does for people; colours alone differ (templates/styles).
# So every rule is asked in the light, and the rules of colours in the dark again.
# They are named: their category holds one of AAA, too, which is off otherwise and asks for a contrast of 7.
COLOURS = ", runOnly: ['color-contrast', 'link-in-text-block']"
THEMES = {"light": RUN % "", "dark": RUN % COLOURS}
READY = "typeof axe !== 'undefined'"


def sound(page: Page, what: str) -> None:
    page.wait_for_load_state()  # what a form has led to may lack its style yet
    if not page.evaluate(READY):
        page.evaluate(AXE_SCRIPT)
    for theme, run in THEMES.items():
        page.emulate_media(color_scheme=theme)
        found = AxeResults(page.evaluate(run))
        assert found.violations_count == 0, f"{what}, {theme}\n{found.generate_report()}"
