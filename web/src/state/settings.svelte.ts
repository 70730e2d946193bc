// Choices of the person on this device. Invariant: a missing or broken store means the defaults, never an error.

const KEY = "askhub.settings";

interface Stored {
  singleKeys: boolean;
  stayAfterSend: boolean;
  undoSeconds: number;
  tellsColleagues: boolean;
  notifies: boolean;
  notifiesPrivately: boolean;
  chimes: boolean;
}

export const UNDO_SECONDS = [0, 5, 10, 30];

class Settings {
  singleKeys = $state(true);
  stayAfterSend = $state(false);
  /** How long an answer may be taken back; the hub holds it so long. */
  undoSeconds = $state(5);
  /** Whether others see that this person is answering. */
  tellsColleagues = $state(true);
  /** Whether the system tells of new calls while the page is not looked at, and whether it leaves out what they say. */
  notifies = $state(false);
  notifiesPrivately = $state(false);
  chimes = $state(false);

  constructor() {
    try {
      const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Stored>;
      this.singleKeys = stored.singleKeys ?? true;
      this.stayAfterSend = stored.stayAfterSend ?? false;
      if (UNDO_SECONDS.includes(stored.undoSeconds ?? -1)) this.undoSeconds = stored.undoSeconds ?? 5;
      this.tellsColleagues = stored.tellsColleagues ?? true;
      this.notifies = stored.notifies ?? false;
      this.notifiesPrivately = stored.notifiesPrivately ?? false;
      this.chimes = stored.chimes ?? false;
    } catch {
      // Storage may be blocked: the page works without it.
    }
  }

  save(): void {
    const { singleKeys, stayAfterSend, undoSeconds, tellsColleagues, notifies, notifiesPrivately, chimes } = this;
    const stored: Stored = {
      singleKeys,
      stayAfterSend,
      undoSeconds,
      tellsColleagues,
      notifies,
      notifiesPrivately,
      chimes,
    };
    try {
      localStorage.setItem(KEY, JSON.stringify(stored));
    } catch {
      // As above.
    }
  }
}

export const settings = new Settings();
