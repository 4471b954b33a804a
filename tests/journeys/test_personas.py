"""An administrator lets somebody in and asks for a deletion; an auditor checks it, approves it and hands over the receipt."""

import json
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.journeys.conftest import SignIn
from tests.product import ROOT

WHOLE = {"en-GB": "the chain is whole", "zh-CN": "链条完整"}
PATIENCE = 60_000
"""Milliseconds for what a worker does."""


@pytest.mark.parametrize("language", ["en-GB", "zh-CN"])
def test_an_auditor_reads_everything_and_changes_nothing(sign_in: SignIn, language: str) -> None:
    audra = sign_in("audra", locale=language)
    audra.goto("/staff/audit/?check=1")
    expect(audra.get_by_role("status").first).to_contain_text(WHOLE[language])
    lines = audra.request.get("/staff/audit/export/?as=jsonl").text().strip().splitlines()
    assert lines and all("action" in json.loads(line) for line in lines)
    with audra.expect_download() as export:
        audra.get_by_role("link", name="CSV").click()
    assert "," in Path(export.value.path()).read_text(encoding="utf-8-sig").splitlines()[0]

    audra.goto("/staff/")
    audra.locator("tr", has_text="suhe").locator("a[href^='/staff/members/']").first.click()
    audra.fill("input[name=reason]", "the yearly check 年度检查")
    audra.keyboard.press("Enter")
    memory = audra.locator("article.memory").first
    expect(memory).to_be_visible()
    assert audra.locator("main form[method=post]").count() == 0, "nothing to press that changes anything"
    target = (memory.get_attribute("id") or "").removeprefix("m-")
    refused = audra.evaluate(
        """async (id) => {
          const token = document.cookie.match(/csrftoken=([^;]+)/)[1];
          return (await fetch(`${location.pathname}memories/${id}/forget/`, {
            method: 'POST', headers: {'X-CSRFToken': token, 'Content-Type': 'application/x-www-form-urlencoded'},
            body: 'reason=x'})).status;
        }""",
        target,
    )
    assert refused == 403
    audra.goto("/staff/audit/?action=opened&actor=audra")
    expect(audra.locator("tbody")).to_contain_text("the yearly check 年度检查")


def test_an_administrator_lets_somebody_in_and_two_officers_let_them_go(
    sign_in: SignIn, browser: Browser, product: str, tmp_path: Path
) -> None:
    admin, audra = sign_in("admin"), sign_in("audra")
    newcomer = _invited(admin, browser, product)
    newcomer.fill("textarea", "My name is Ondine. I live in Skerryvore.")
    newcomer.press("textarea", "Enter")
    expect(newcomer.locator("[data-answer]").last).to_contain_text("Skerryvore", timeout=PATIENCE)
    member = newcomer.evaluate("fetch('/api/v1/profile').then((r) => r.json())")["member"]

    admin.goto("/staff/requests/")
    admin.locator("main summary.button").click()
    admin.select_option("select[name=member]", member)
    admin.fill("#reason", "she wrote a letter")
    admin.locator("main details button[type=submit]").click()
    mine = admin.locator("article").filter(has_text="she wrote a letter")
    wanted = mine.get_attribute("id")
    phrase = re.search(r"“(.+?)”", mine.inner_text())
    assert phrase is not None
    assert mine.get_by_role("button", name="Approve").count() == 0, "whoever asks does not approve"
    mine.locator("input[name=password]").fill("demo-admin")
    mine.locator("input[name=phrase]").fill(phrase[1])
    mine.get_by_role("button", name="Confirm the deletion").click()
    expect(mine.locator(".tag").first).to_have_text("confirmed")

    audra.goto("/staff/requests/")
    theirs = audra.locator("article").filter(has_text="she wrote a letter")
    theirs.locator("input[name=reason]").fill("the letter is genuine")
    theirs.get_by_role("button", name="Approve the deletion").click()
    audra.reload()
    _until(audra, f"#{wanted} .tag:has-text('done')")
    expect(audra.locator(f"#{wanted}")).not_to_contain_text("she wrote a letter")
    receipt = _taken(audra.locator(f"#{wanted}"), browser, tmp_path)
    assert "Skerryvore" not in receipt.read_text() and "Ondine" not in receipt.read_text()
    key = tmp_path / "key.pem"
    key.write_text(audra.request.get("/privacy/key").text())
    command = [sys.executable, "manage.py", "verify_receipt", str(receipt), "--public-key", str(key)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"VAR_DIR": str(tmp_path / "elsewhere")})
    assert "Valid: done" in told.stdout, told.stderr

    expect(admin.get_by_role("heading").first).to_be_visible()
    admin.goto("/staff/?q=Skerryvore")
    expect(admin.locator("main")).not_to_contain_text("Lives in")
    newcomer.goto("/")
    expect(newcomer).to_have_url(re.compile("/accounts/login/"))


def _invited(admin: Page, browser: Browser, product: str) -> Page:
    """Signed up, and let in by the code of an invitation that the administrator has made."""
    admin.goto("/admin/profiles/invitation/add/")
    admin.select_option("select[name=community]", index=1)
    admin.get_by_role("button", name="Save and continue editing").click()
    code = admin.locator(".field-code .readonly").inner_text().strip()
    page = browser.new_context(base_url=product).new_page()
    page.goto("/accounts/signup/")
    page.fill("input[name=username]", f"ondine-{uuid.uuid4().hex[:6]}")
    for field in page.locator("input[type=password]").all():
        field.fill("a long enough phrase 7")
    page.locator("main button[type=submit]").click()
    page.fill("input[name=code]", code)
    page.keyboard.press("Enter")
    page.locator("button[name=memory][value=on]").first.click()
    page.wait_for_load_state()
    return page


def _until(page: Page, selector: str) -> None:
    """Reload until it is there."""
    for _ in range(PATIENCE // 1000):
        if page.locator(selector).count():
            return
        page.wait_for_timeout(1000)
        page.reload()
    expect(page.locator(selector)).to_be_visible()


def _taken(article: Locator, browser: Browser, folder: Path) -> Path:
    """The receipt, through the address that works once, by somebody who is not signed in."""
    article.get_by_role("button", name="Make the link to the receipt").click()
    link = article.locator(".note a").get_attribute("href")
    assert link is not None
    stranger = browser.new_context().new_page()
    stranger.goto(link)
    with stranger.expect_download() as taken:
        stranger.get_by_role("button", name="Take the receipt").click()
    file = folder / "receipt.json"
    taken.value.save_as(file)
    assert stranger.goto(link).status == 404, "once"  # type: ignore[union-attr]
    return file
