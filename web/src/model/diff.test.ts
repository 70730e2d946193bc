import { expect, test } from "vitest";
import { isDiff, signOf } from "./diff";

test("a diff's lines are told apart by their first characters", () => {
  const lines = ["--- a/x", "+++ b/x", "@@ -1 +1 @@", "-old", "+new", " same", "", "diff --git a b"];
  expect(lines.map(signOf)).toEqual(["place", "place", "place", "removed", "added", "", "", "place"]);
  expect(["diff", "Patch", "rust", ""].map(isDiff)).toEqual([true, true, false, false]);
});
