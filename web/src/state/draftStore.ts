// Where drafts live on this device: IndexedDB, with localStorage beside it. Invariant: what was typed is in one of the
// two: a page that is going away writes its unsaved drafts to localStorage, because only that is certain to finish.

import { type Draft, merge } from "../model/draft";

const DB_NAME = "askhub";
const STORE = "drafts";
const JOURNAL = "askhub.draft.";
const OPEN_MS = 1500;

export class DraftStore {
  #db: Promise<IDBDatabase | null> | null = null;

  /** The stored draft, or `fresh` stored now. One transaction, so that two tabs end up with the same answer id. */
  async getOrPut(fresh: Draft): Promise<Draft> {
    const journal = readJournal(fresh.callId);
    const db = await this.#open();
    const stored = db ? await getOrPut(db, journal ?? fresh) : (journal ?? fresh);
    const draft = journal ? merge(stored, journal) : stored;
    if (!db) writeJournal(draft);
    else if (journal) void this.#settle(draft, journal);
    return draft;
  }

  /** Moves what the journal had into the database; nobody waits for that. */
  async #settle(draft: Draft, journal: Draft): Promise<void> {
    const isStored = (await this.put(draft)) === "database";
    if (isStored && readJournal(draft.callId)?.savedAt === journal.savedAt) clearJournal(draft.callId);
  }

  /** Where it is stored now; null if it could not be stored anywhere. */
  async put(draft: Draft): Promise<"database" | "journal" | null> {
    const db = await this.#open();
    if (db && (await committed(db, (store) => store.put(draft)))) return "database";
    return writeJournal(draft) ? "journal" : null;
  }

  /** Finishes before it returns: for a page that is going away. */
  putNow(draft: Draft): void {
    writeJournal(draft);
  }

  /** What the journal has is in the database by now. */
  clearJournal(callId: string): void {
    clearJournal(callId);
  }

  async delete(callId: string): Promise<void> {
    clearJournal(callId);
    const db = await this.#open();
    if (db) await committed(db, (store) => store.delete(callId));
  }

  async all(): Promise<Draft[]> {
    const db = await this.#open();
    if (!db) return journalIds().flatMap((id) => readJournal(id) ?? []);
    return done<Draft[]>(db.transaction(STORE).objectStore(STORE).getAll()).catch(() => []);
  }

  #open(): Promise<IDBDatabase | null> {
    this.#db ??= openDb();
    return this.#db;
  }
}

/** Null where IndexedDB is blocked, broken or does not come back. */
function openDb(): Promise<IDBDatabase | null> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(null), OPEN_MS);
    try {
      const opening = indexedDB.open(DB_NAME, 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: "callId" });
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
}

function getOrPut(db: IDBDatabase, fresh: Draft): Promise<Draft> {
  return new Promise((resolve) => {
    const store = db.transaction(STORE, "readwrite").objectStore(STORE);
    const reading = store.get(fresh.callId);
    reading.onsuccess = () => {
      const stored = reading.result as Draft | undefined;
      resolve(stored ?? fresh);
      try {
        if (!stored) store.put(fresh);
      } catch {
        // It is stored when something is typed, or in the journal.
      }
    };
    reading.onerror = () => resolve(fresh);
  });
}

/** Whether the write is certain: a request that succeeded is undone if the page goes away before the commit. */
function committed(db: IDBDatabase, write: (store: IDBObjectStore) => void): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const transaction = db.transaction(STORE, "readwrite");
      transaction.oncomplete = () => resolve(true);
      transaction.onabort = () => resolve(false);
      write(transaction.objectStore(STORE));
    } catch {
      resolve(false);
    }
  });
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function readJournal(callId: string): Draft | null {
  try {
    const text = localStorage.getItem(JOURNAL + callId);
    return text ? (JSON.parse(text) as Draft) : null;
  } catch {
    return null;
  }
}

function writeJournal(draft: Draft): boolean {
  try {
    localStorage.setItem(JOURNAL + draft.callId, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

function clearJournal(callId: string): void {
  try {
    localStorage.removeItem(JOURNAL + callId);
  } catch {
    // Nothing was there if storage is blocked.
  }
}

function journalIds(): string[] {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(JOURNAL));
    return keys.map((key) => key.slice(JOURNAL.length));
  } catch {
    return [];
  }
}
