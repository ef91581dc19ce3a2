/** What the database has of a key, for who looks at it: read once for all who ask within a second. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { ApiKey, Caller } from '../identity/index.ts';
import type { UsageReport, UsageReportAsked } from '../usage/index.ts';

export interface KeyRecord {
  readonly key: ApiKey;
  /** The beginning of the day of UTC. */
  readonly dayFrom: Date;
  /** Of the day, together. */
  readonly spent: UsageReport;
  /** Of the day, by model, the dearest 50. */
  readonly spentByModel: UsageReport;
}

type Owned = Pick<Caller, 'keyId' | 'userId'>;

export interface KeyRecordsOptions {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly findKey: (owned: Owned) => Promise<ApiKey | undefined>;
  /** Of its owner's usage. */
  readonly readReport: (owned: Owned, asked: UsageReportAsked) => Promise<UsageReport>;
}

/** A status line asks with every keystroke, and asking costs no money: this bounds what it costs the database. */
const reusedForMs = 1000;
const maxKeys = 10_000;
const maxModels = 50;
const dayMs = 86_400_000;

export class KeyRecords {
  readonly #options: KeyRecordsOptions;
  readonly #recent = new LRUCache<number, { readonly record: Promise<KeyRecord>; readonly untilMs: number }>({
    max: maxKeys,
  });

  constructor(options: KeyRecordsOptions) {
    this.#options = options;
  }

  /** @throws AppError not_found for a key that is there no more; what the database throws when it is away. */
  async read(owned: Owned): Promise<KeyRecord> {
    const nowMs = this.#options.clock.monotonicMs();
    const recent = this.#recent.get(owned.keyId);
    if (recent !== undefined && nowMs < recent.untilMs) return await recent.record;
    const record = this.#readNow(owned);
    this.#recent.set(owned.keyId, { record, untilMs: nowMs + reusedForMs });
    try {
      return await record;
    } catch (thrown) {
      // The next one may find the database again.
      this.#recent.delete(owned.keyId);
      throw thrown;
    }
  }

  async #readNow(owned: Owned): Promise<KeyRecord> {
    const { clock, findKey, readReport } = this.#options;
    const dayFromMs = Math.floor(clock.nowMs() / dayMs) * dayMs;
    const dayFrom = new Date(dayFromMs);
    const asked = { from: dayFrom, to: new Date(dayFromMs + dayMs), where: { key: owned.keyId } };
    const [key, spent, spentByModel] = await Promise.all([
      findKey(owned),
      readReport(owned, asked),
      readReport(owned, { ...asked, by: 'model', limit: maxModels }),
    ]);
    if (key === undefined) throw new AppError({ code: 'not_found', public: 'This key is there no more.' });
    return { key, dayFrom, spent, spentByModel };
  }
}
