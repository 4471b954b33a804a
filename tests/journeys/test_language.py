"""The page speaks the member's language: the browser's at first, then the one that was chosen, for good."""

from playwright.sync_api import Browser, Page, expect


def enter(product: str, browser: Browser, locale: str, name: str) -> Page:
    """Sign in by a click on a demo account."""
    page = browser.new_context(base_url=product, locale=locale, viewport={"width": 360, "height": 740}).new_page()
    page.goto("/accounts/login/")
    page.locator(f"[data-account={name}]").click()
    expect(page.locator("[name=password]")).to_have_value(f"demo-{name}")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{product}/")
    return page


def test_a_chinese_browser_gets_chinese_and_the_choice_of_english_stays(product: str, browser: Browser) -> None:
    page = enter(product, browser, "zh-CN", "audra")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    expect(page.locator("[data-suggestion]").first).to_have_text("线下活动怎么报名？")
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("[data-suggestion]").first).to_have_text("How do I sign up for a meetup?")
    page.goto("/me/memory/")
    expect(page.locator("h1")).to_have_text("My memory")


def test_nothing_is_wider_than_a_phone(product: str, browser: Browser) -> None:
    page = enter(product, browser, "zh-CN", "audra")
    page.locator("[data-suggestion]").first.click()
    expect(page.locator("#turns .turn[data-state=answered]")).to_have_count(1, timeout=15_000)
    for path in ("", "/me/memory/", "/me/privacy/", "/staff/", "/nowhere/"):
        if path:
            page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path or page.url


def test_an_address_that_leads_nowhere_is_our_own_page(product: str, browser: Browser) -> None:
    page = enter(product, browser, "zh-CN", "audra")
    assert (page.goto("/c/00000000-0000-4000-8000-000000000000/") or page.goto("/")).status == 404  # type: ignore[union-attr]
    expect(page.locator("h1")).to_have_text("此页不存在")
