// Puts text on the clipboard. Invariant: works on plain http to another host too, where the clipboard API is missing.

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "hidden";
    document.body.append(field);
    const focused = document.activeElement;
    field.select();
    document.execCommand("copy");
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
