/** A change feed that tells nothing by itself, as while the database is away: what is heard is for the test to say. */
import { type ChangeFeed, type ChangeListener, everyKey } from '../../storage/change-feed.ts';

export class SilentFeed implements ChangeFeed {
  readonly #listeners = new Set<{ readonly topic: string; readonly listener: ChangeListener }>();

  /** How many would hear of anything. */
  get listening(): number {
    return this.#listeners.size;
  }

  publish(): Promise<void> {
    return Promise.resolve();
  }

  subscribe(topic: string, listener: ChangeListener): () => void {
    const heard = { topic, listener };
    this.#listeners.add(heard);
    return () => void this.#listeners.delete(heard);
  }

  /** @param topic all topics where it is left out. */
  tell(topic?: string, key: string | typeof everyKey = everyKey): void {
    for (const heard of this.#listeners) if (heard.topic === (topic ?? heard.topic)) heard.listener(key);
  }
}
