/** The catalogue in memory: one immutable snapshot, replaced whole when the database says that something changed. */
import { eq } from 'drizzle-orm';
import type { Clock, Timer } from '../base/clock.ts';
import type { Envelope } from '../base/envelope.ts';
import type { ChangeFeed } from '../storage/change-feed.ts';
import type { Database } from '../storage/database.ts';
import { priceVersions } from '../storage/schema/catalogue.ts';
import { catalogueTopic } from './catalogue-work.ts';
import type { CatalogueSnapshot, PriceVersion } from './model.ts';
import { toVersion } from './price-versions.ts';
import { readSnapshot, type SnapshotReading } from './read-snapshot.ts';

export interface CatalogueParts {
  readonly db: Database;
  readonly changes: ChangeFeed;
  readonly envelope: Envelope;
  readonly clock: Clock;
  /** A reload failed: the snapshot before it stays in force and a retry is on its way. */
  readonly onReloadFailed: (error: unknown) => void;
  /** A row had to be left out of the snapshot; said once for as long as it lasts. */
  readonly onWarning: (message: string) => void;
  /** Changes within this time are read together. */
  readonly debounceMs?: number;
  /** Before the first retry; doubled at each further one, up to a minute. */
  readonly retryMs?: number;
}

const longestRetryMs = 60_000;
/** A timer holds no longer time than some weeks. */
const longestPriceWaitMs = 86_400_000;
/** How long a reading that is under way may take to end when the catalogue is closed. */
const closingMs = 5000;

export class Catalogue {
  readonly #parts: CatalogueParts;
  readonly #unsubscribe: () => void;
  #reading: SnapshotReading = {
    snapshot: { byName: new Map(), models: [], pricesChangeAtMs: null },
    openedSecrets: new Map(),
    problems: [],
  };
  #underWay: Promise<void> | undefined;
  /** The reading that begins when the one under way ends. */
  #next: Promise<void> | undefined;
  #timer: Timer | undefined;
  #timerDueMs = 0;
  #failures = 0;
  #closed = false;

  private constructor(parts: CatalogueParts) {
    this.#parts = parts;
    // Before the first reading, so that a change during it is not lost.
    this.#unsubscribe = parts.changes.subscribe(catalogueTopic, () => this.#schedule(parts.debounceMs ?? 50));
  }

  /** Reads the first snapshot. @throws what the database throws: without a catalogue there is nothing to serve. */
  static async open(parts: CatalogueParts): Promise<Catalogue> {
    const catalogue = new Catalogue(parts);
    try {
      await catalogue.#start(() => catalogue.#read());
      return catalogue;
    } catch (error) {
      await catalogue.close();
      throw error;
    }
  }

  /** A version of prices, whenever it held. @throws what the database throws. */
  async findPriceVersion(id: number): Promise<PriceVersion | null> {
    const { db } = this.#parts;
    const [row] = await db.select().from(priceVersions).where(eq(priceVersions.id, id));
    return row === undefined ? null : toVersion(row);
  }

  current(): CatalogueSnapshot {
    return this.#reading.snapshot;
  }

  /**
   * Reads again; resolves when a reading that began after this call is in force. Calls that wait share one.
   * @throws what the database throws; the snapshot stays as it was and a retry is on its way.
   */
  reload(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    if (this.#underWay === undefined) return this.#start();
    this.#next = this.#underWay
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#start();
      });
    return this.#next;
  }

  /** Stops following changes and waits a while for a reading under way, so that the database can be closed after it. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#unsubscribe();
    this.#timer?.cancel();
    const reading = this.#next ?? this.#underWay;
    if (reading === undefined) return;
    const isOver = new AbortController();
    const ended = reading.catch(() => undefined).finally(() => isOver.abort());
    await Promise.race([ended, this.#parts.clock.sleep(closingMs, isOver.signal)]);
  }

  #start(read = () => this.#readOrRetry()): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#underWay = read().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #readOrRetry(): Promise<void> {
    try {
      await this.#read();
      this.#failures = 0;
    } catch (error) {
      this.#parts.onReloadFailed(error);
      const retryMs = (this.#parts.retryMs ?? 1000) * 2 ** this.#failures;
      this.#failures += 1;
      this.#schedule(Math.min(retryMs, longestRetryMs));
      throw error;
    }
  }

  async #read(): Promise<void> {
    const { db, envelope, clock, onWarning } = this.#parts;
    const { openedSecrets, problems } = this.#reading;
    const reading = await readSnapshot({ db, envelope, openedSecrets, nowMs: clock.nowMs() });
    this.#reading = reading;
    for (const problem of reading.problems) if (!problems.includes(problem)) onWarning(problem);
    const { pricesChangeAtMs } = reading.snapshot;
    if (pricesChangeAtMs !== null) {
      this.#schedule(Math.min(Math.max(0, pricesChangeAtMs - clock.nowMs()), longestPriceWaitMs));
    }
  }

  /** The earlier of two appointments stands: many changes do not put a reading off, nor does a long retry. */
  #schedule(afterMs: number): void {
    const { clock } = this.#parts;
    const dueMs = clock.monotonicMs() + afterMs;
    if (this.#closed || (this.#timer !== undefined && this.#timerDueMs <= dueMs)) return;
    this.#timer?.cancel();
    this.#timerDueMs = dueMs;
    this.#timer = clock.after(afterMs, () => {
      this.#timer = undefined;
      // Its failure was reported where it happened.
      this.reload().catch(() => undefined);
    });
  }
}
