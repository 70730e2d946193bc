// Parts of the page that are loaded when they are needed, or when nothing else is to be done. Invariant: the first visit
// loads none of them before it has drawn the list.

export const later = {
  bulk: () => import("./BulkBar.svelte"),
  connect: () => import("./ConnectPage.svelte"),
  conversation: () => import("./Conversation.svelte"),
  decline: () => import("./DeclineDialog.svelte"),
  empty: () => import("./EmptyInbox.svelte"),
  outcome: () => import("./OutcomeView.svelte"),
  preview: () => import("./PreviewPane.svelte"),
  review: () => import("./Review.svelte"),
  sheet: () => import("./PreviewSheet.svelte"),
  approval: () => import("./ApprovalField.svelte"),
  confirm: () => import("./ConfirmDialog.svelte"),
  mockUp: () => import("./MockUp.svelte"),
  help: () => import("./KeyHelp.svelte"),
  history: () => import("./HistoryList.svelte"),
  fields: () => import("./FieldSet.svelte"),
};

/** Loads them all, so that they are there when the connection is not. What cannot be loaded is tried when it is needed. */
export function loadLater(): void {
  for (const load of Object.values(later)) void load().catch(() => undefined);
}
