// Finding calls: what waits, and what has ended; what happened to one, and taking all away as a file.

import { readFileSync } from "node:fs";
import { CHOICE, expect, openCall, send, test } from "./journey";

const APPROVAL = {
  title: "Pay out",
  agent: { name: "billing-bot" },
  tags: ["prod"],
  questions: [{ id: "may", kind: "approval", question: "May I pay out?", tool: { name: "pay" } }],
};

test("check 59: a filter is quick, in the address, and Back removes it", async ({ page, context, ask }) => {
  await ask(APPROVAL);
  await ask(CHOICE);
  await ask({ ...APPROVAL, title: "Other", agent: { name: "docs-bot" } });
  await page.goto("./");
  const rows = page.locator("#list a[data-row]");
  await expect(rows).toHaveCount(3);
  await page.keyboard.press("/");
  await page.keyboard.type("agent:billing kind:approval");
  await expect(rows).toHaveText([/Pay out/]);
  await expect(page.getByText("1 of 3 match")).toBeVisible();
  await expect(page).toHaveURL(/\/\?q=agent%3Abilling\+kind%3Aapproval$/);
  const copy = await context.newPage();
  await copy.goto(page.url());
  await expect(copy.locator("#list a[data-row]")).toHaveText([/Pay out/]);
  await expect(copy.getByRole("searchbox")).toHaveValue("agent:billing kind:approval");
  await copy.close();
  await rows.first().click();
  await page.goBack();
  await expect(rows).toHaveText([/Pay out/]);
  await page.goBack();
  await expect(rows).toHaveCount(3);
  await expect(page.getByRole("searchbox")).toHaveValue("");
  await page.getByRole("searchbox").fill("nothing like this");
  await page.getByRole("button", { name: "Clear filter" }).click();
  await expect(rows).toHaveCount(3);
});

test("check 3: history shows choice and note, what the agent got, and the trail", async ({ page, hub, ask }) => {
  const call = await ask(CHOICE);
  await openCall(page, call);
  await page.keyboard.press("2");
  await page.keyboard.press("n");
  await page.keyboard.type("Half of it");
  await send(page).click();
  const settled = await hub.wait(call.id);
  await page.goto("history?q=refund");
  await page.locator("#list a[data-row]").first().click();
  const main = page.getByRole("main");
  await expect(main.getByText("Store credit").first()).toBeVisible();
  await expect(main.getByText("Half of it").first()).toBeVisible();
  await main.getByText("What the agent got, and what happened").click();
  await expect(main.getByRole("region", { name: "To the model" })).toContainText(settled.outcome?.text ?? "no text");
  await expect(main.getByRole("listitem").filter({ hasText: "Asked" })).toContainText("agent.token");
  await expect(main.getByRole("listitem").filter({ hasText: "Ended" })).toContainText("owner (page)");
  await expect(main.getByRole("listitem").filter({ hasText: "Handed to the agent" })).toHaveCount(1);
});

test("the history is searched on the hub, and leaves as a file", async ({ page, hub, ask }) => {
  for (const title of ["A needle in it", "Nothing"]) {
    const call = await ask({ ...CHOICE, title });
    await openCall(page, call);
    await page.keyboard.press("1");
    await send(page).click();
    await hub.wait(call.id);
  }
  await page.goto("history");
  await page.getByRole("searchbox").fill("needle");
  await expect(page.locator("#list a[data-row]")).toHaveText([/A needle in it/]);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "JSONL" }).click();
  const lines = readFileSync(await (await download).path(), "utf8")
    .trim()
    .split("\n");
  expect(lines.map((line) => JSON.parse(line).title)).toEqual(["A needle in it"]);
  const sheet = page.waitForEvent("download");
  await page.getByRole("link", { name: "CSV" }).click();
  expect((await sheet).suggestedFilename()).toBe("askhub.csv");
  await page.getByRole("searchbox").fill("is:cancelled");
  await expect(page.locator("#list a[data-row]").filter({ hasText: "needle" })).toHaveCount(0);
});
