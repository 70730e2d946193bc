// Choices of the person on this device. Invariant: a missing or broken store means the defaults, never an error.

const KEY = "askhub.settings";

interface Stored {
  singleKeys: boolean;
  stayAfterSend: boolean;
}

class Settings {
  singleKeys = $state(true);
  stayAfterSend = $state(false);

  constructor() {
    try {
      const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Stored>;
      this.singleKeys = stored.singleKeys ?? true;
      this.stayAfterSend = stored.stayAfterSend ?? false;
    } catch {
      // Storage may be blocked: the page works without it.
    }
  }

  save(): void {
    const stored: Stored = { singleKeys: this.singleKeys, stayAfterSend: this.stayAfterSend };
    try {
      localStorage.setItem(KEY, JSON.stringify(stored));
    } catch {
      // As above.
    }
  }
}

export const settings = new Settings();
