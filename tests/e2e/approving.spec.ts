// Whether a tool may be called: what is seen before, and what is sent.

import AxeBuilder from "@axe-core/playwright";
import { expect, openCall, send, test } from "./journey";

function asking(more: object, argument: object = { command: "kubectl delete ns staging-old", dry_run: false }) {
  const tool = { name: "Bash", description: "Runs a command", arguments: argument };
  const question = { id: "may", kind: "approval", question: "May I delete the old namespace?", tool, ...more };
  return { title: "Delete namespace", agent: { name: "infra-bot" }, questions: [question] };
}

const LONG = Array.from({ length: 200 }, (_, line) => `echo line ${line}`).join("\n");

test("check 41: what cannot be undone is seen to its end, confirmed by name, and sent once", async ({
  page,
  hub,
  ask,
}) => {
  const call = await ask(asking({ risk: "destructive" }, { command: LONG }));
  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") posts.push(request.url());
  });
  await openCall(page, call);
  const approve = page.getByRole("radio", { name: "Approve" });
  await expect(approve).toHaveAttribute("aria-disabled", "true");
  await expect(page.getByText("Read the arguments to their end first.")).toBeVisible();
  await page.keyboard.press("a");
  await expect(approve).not.toBeChecked();
  await page.getByText("echo line 199").scrollIntoViewIfNeeded();
  await page.locator(".scroll").evaluate((pane) => pane.scrollTo(0, pane.scrollHeight));
  await expect(approve).not.toHaveAttribute("aria-disabled", "true");
  await approve.click();
  await send(page).click();
  const dialog = page.getByRole("dialog", { name: "Approve Bash?" });
  await expect(dialog).toContainText("echo line 199");
  await expect(dialog.getByRole("heading")).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Enter");
  const confirm = dialog.getByRole("button", { name: "Approve", exact: true });
  await confirm.click({ force: true });
  await expect(confirm).toHaveAttribute("aria-disabled", "true");
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  expect(posts).toEqual([]);
  await dialog.getByRole("textbox").fill("Bash");
  await confirm.click();
  expect((await hub.wait(call.id)).outcome?.answers[0]?.value).toEqual({ decision: "approve" });
  expect(posts).toHaveLength(1);
});

test("check 41: a press held long enough confirms too, and a short one does not", async ({ page, hub, ask }) => {
  const call = await ask(asking({ risk: "destructive" }));
  await openCall(page, call);
  await page.keyboard.press("a");
  await page.keyboard.press("Control+Enter");
  const hold = page.getByRole("dialog").getByRole("button", { name: "Hold to approve" });
  await hold.click();
  await expect(hold).not.toHaveClass(/held/);
  expect((await hub.read(call.id)).status).toBe("pending");
  await hold.focus();
  await page.keyboard.down("Space");
  const settled = await hub.wait(call.id);
  await page.keyboard.up("Space");
  expect(settled.outcome?.answers[0]?.value).toEqual({ decision: "approve" });
});

test("check 42: characters that hide something are marked and warned of, and copying gives the true ones", async ({
  page,
  context,
  ask,
}) => {
  const command = `rm\u202e -r\u200b x${" ".repeat(200)}--no-preserve-root`;
  const call = await ask(asking({}, { command }));
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openCall(page, call);
  const tool = page.getByRole("region", { name: "What would be called" });
  await expect(tool.getByText("It holds characters that cannot be seen.")).toBeVisible();
  await expect(tool.locator(".mark")).toHaveText(["U+202E", "U+200B", "200 blanks"]);
  await expect(tool.getByText("--no-preserve-root")).toBeVisible();
  await tool.getByRole("button", { name: "Copy command" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(command);
});

test("check 43: what was sent only in part cannot be approved by mouse, key or API", async ({ page, hub, ask }) => {
  const call = await ask(asking({ arguments_truncated: true, editable: true }));
  await openCall(page, call);
  await expect(page.getByText("The agent sent an incomplete command.")).toBeVisible();
  const approve = page.getByRole("radio", { name: "Approve" });
  await approve.click({ force: true });
  await expect(approve).not.toBeChecked();
  await page.keyboard.press("a");
  await page.keyboard.press("1");
  await expect(approve).not.toBeChecked();
  await expect(page.getByRole("button", { name: "Edit arguments" })).toHaveCount(0);
  const answers = [{ id: "may", value: { decision: "approve" } }];
  const refused = await page.request.post(`${hub.url}/v1/calls/${call.id}/answer`, {
    data: { answers },
    headers: { "Sec-Fetch-Site": "same-origin" },
  });
  expect(refused.status()).toBe(422);
  expect((await hub.read(call.id)).status).toBe("pending");
});

test("check 44: nothing has the focus when an approval opens, and r leads to the reason", async ({
  page,
  hub,
  ask,
}) => {
  const call = await ask(asking({}));
  await page.goto("./");
  await page.getByRole("link", { name: /Delete namespace/ }).click();
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  const cards = page.getByRole("group").locator("label");
  const [first, second] = [await cards.nth(0).boundingBox(), await cards.nth(1).boundingBox()];
  expect([first?.width, first?.height]).toEqual([second?.width, second?.height]);
  expect((second?.x ?? 0) - (first?.x ?? 0) - (first?.width ?? 0)).toBeGreaterThanOrEqual(16);
  await expect(page.locator("#advance:not([aria-disabled=true])")).toBeVisible();
  await page.keyboard.press("r");
  await expect(page.getByRole("textbox", { name: "What should infra-bot do instead?" })).toBeFocused();
  await page.keyboard.type("Archive it first");
  await page.keyboard.press("Control+Enter");
  const answer = (await hub.wait(call.id)).outcome?.answers[0];
  expect([answer?.value, answer?.custom]).toEqual([{ decision: "deny" }, "Archive it first"]);
});

test("check 45: changed arguments are shown beside what was asked, and the agent gets the changed ones", async ({
  page,
  hub,
  ask,
}) => {
  const argument = { size: 12, command: "make build\nmake test\nmake deploy", list: ["a"] };
  const call = await ask(asking({ editable: true, risk: "high", scopes: ["once", "this run"] }, argument));
  await openCall(page, call);
  // What the call does is read first, whatever came first.
  await expect(page.locator(".tool .argument").first()).toContainText("command");
  await page.keyboard.press("e");
  await page.getByRole("textbox", { name: "command" }).fill("make build\nmake check\nmake deploy");
  const change = page.getByLabel("What is changed");
  await expect(change.locator(".removed")).toHaveText(/make test/);
  await expect(change.locator(".added")).toHaveText(/make check/);
  await page.getByRole("textbox", { name: "list" }).fill("a");
  await page.getByRole("radio", { name: "Approve" }).click();
  await page.getByRole("combobox", { name: "If approved, for how much" }).selectOption("this run");
  await send(page).click();
  await expect(page.locator("#fault-0")).toContainText("“list” is no JSON");
  await page.getByRole("textbox", { name: "list" }).fill('["a"]');
  await send(page).click();
  const dialog = page.getByRole("dialog", { name: "Approve Bash?" });
  await expect(dialog).toContainText("make check");
  await expect(dialog).toContainText("One argument is changed by you.");
  await dialog.getByRole("button", { name: "Approve" }).click();
  const value = (await hub.wait(call.id)).outcome?.answers[0]?.value;
  expect(value).toEqual({
    decision: "approve",
    arguments: { ...argument, command: "make build\nmake check\nmake deploy" },
    scope: "this run",
  });
  await expect(page.getByText("With other arguments:")).toBeVisible();
});

test("a shell's script is read without its shell, and as it is passed", async ({ page, ask }) => {
  const call = await ask(asking({}, { command: ["bash", "-lc", "rm -r build"] }));
  await openCall(page, call);
  const block = page.locator(".argument");
  await expect(block.locator("pre").first()).toHaveText("rm -r build");
  await block.getByText("As it is passed").click();
  await expect(block.locator("pre").nth(1)).toHaveText('["bash","-lc","rm -r build"]');
});
