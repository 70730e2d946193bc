// Choices of the person on this device. Invariant: a missing or broken store means the defaults, never an error.

const KEY = "askhub.settings";

interface Stored {
  singleKeys: boolean;
  stayAfterSend: boolean;
  undoSeconds: number;
  tellsColleagues: boolean;
}

export const UNDO_SECONDS = [0, 5, 10, 30];

class Settings {
  singleKeys = $state(true);
  stayAfterSend = $state(false);
  /** How long an answer may be taken back; the hub holds it so long. */
  undoSeconds = $state(5);
  /** Whether others see that this person is answering. */
  tellsColleagues = $state(true);

  constructor() {
    try {
      const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Stored>;
      this.singleKeys = stored.singleKeys ?? true;
      this.stayAfterSend = stored.stayAfterSend ?? false;
      if (UNDO_SECONDS.includes(stored.undoSeconds ?? -1)) this.undoSeconds = stored.undoSeconds ?? 5;
      this.tellsColleagues = stored.tellsColleagues ?? true;
    } catch {
      // Storage may be blocked: the page works without it.
    }
  }

  save(): void {
    const { singleKeys, stayAfterSend, undoSeconds, tellsColleagues } = this;
    const stored: Stored = { singleKeys, stayAfterSend, undoSeconds, tellsColleagues };
    try {
      localStorage.setItem(KEY, JSON.stringify(stored));
    } catch {
      // As above.
    }
  }
}

export const settings = new Settings();
