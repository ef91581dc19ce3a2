/** JSON logs, one object a line on standard output, with a closed list of fields so that nothing private slips in. */
import { type Clock, systemClock, type Timer } from './clock.ts';
import { describeThrown } from './errors.ts';
import type { MaybePromise } from './maybe-promise.ts';

const textFields = [
  'requestId',
  'method',
  'path',
  'outcome',
  'errorCode',
  'detail',
  'model',
  'provider',
  'upstreamModel',
  'upstreamUrl',
  'costUsd',
  'stack',
  'leftOut',
] as const;

const numberFields = [
  'status',
  'keyId',
  'userId',
  'attempts',
  'inputTokens',
  'outputTokens',
  'durationMs',
  'firstByteMs',
  'overheadMs',
  'count',
] as const;

/** Every field a log line may carry besides level, time and msg. Bodies, tokens and callers' addresses have no place here. */
export type LogFields = { readonly [name in (typeof textFields)[number]]?: string } & {
  readonly [name in (typeof numberFields)[number]]?: number;
} & { readonly streamed?: boolean };

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Writes what is buffered; wait for it before the process ends. */
  flush(): Promise<void>;
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const bufferBytes = 65_536;
const flushEveryMs = 250;
/** After a failure nothing is written for so long. */
const failedForMs = 5_000;
/** Texts that others wrote have no bound of their own. */
const maxDetailCharacters = 500;
const maxStackCharacters = 4000;

const allowedFields: ReadonlySet<string> = new Set([...textFields, ...numberFields, 'streamed']);

/**
 * Lines are gathered for a quarter of a second. A logging library was measured at a fifth of a request's whole CPU
 * time here; one JSON.stringify into the runtime's own buffered file writer is a thirtieth of that.
 * @param options.fileDescriptor where lines go; standard output when not given.
 */
export function openLog(options: { level: LogLevel; fileDescriptor?: number; clock?: Clock }): Log {
  const least = logLevels.indexOf(options.level);
  const clock = options.clock ?? systemClock;
  const sink = new LossySink(options.fileDescriptor ?? 1, clock, (count, detail) => {
    log.error('lines of this log are lost: they could not be written', { count, detail });
  });
  let flushTimer: Timer | undefined;
  /** Lines that the sink does not have yet: each write crosses into the runtime, so that many go as one text. */
  let gathered = '';
  let gatheredLines = 0;
  const pour = () => {
    const [lines, count] = [gathered, gatheredLines];
    gathered = '';
    gatheredLines = 0;
    return sink.write(lines, count);
  };
  const flush = () => {
    flushTimer?.cancel();
    flushTimer = undefined;
    if (gathered !== '') void pour();
    return sink.flush();
  };
  let timeMs = Number.NaN;
  let timeText = '';
  /** Lines of one millisecond share its text. */
  const timeNow = () => {
    const nowMs = clock.nowMs();
    if (nowMs !== timeMs) {
      timeMs = nowMs;
      timeText = new Date(nowMs).toISOString();
    }
    return timeText;
  };
  const write = (level: LogLevel): Log['info'] => {
    if (logLevels.indexOf(level) < least) return () => undefined;
    const opening = `{"level":"${level}","time":"`;
    return (msg, fields) => {
      const head = `${opening}${timeNow()}","msg":${JSON.stringify(msg)}`;
      const rest = fields === undefined ? '{}' : JSON.stringify(bounded(keepAllowed(fields)));
      gathered += rest === '{}' ? `${head}}\n` : `${head},${rest.slice(1)}\n`;
      gatheredLines += 1;
      if (gathered.length >= bufferBytes) void pour();
      flushTimer ??= clock.after(flushEveryMs, () => void flush());
    };
  };
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    flush: async () => {
      await flush();
    },
  };
  return log;
}

/**
 * What lines are written to, which a full disk or a reader that is gone does not end the process by: lines that could not
 * be written are counted, and how many they were is told once writing works again.
 */
class LossySink {
  readonly #descriptor: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #tell: (lost: number, why: string) => void;
  #writer: Bun.FileSink;
  /** Lines that the writer has, and may not have written. */
  #held = 0;
  #lost = 0;
  #why = '';
  #triedAgainMs = Number.NEGATIVE_INFINITY;

  /** @param tell called with the number of lines that are lost, and why, once a later one is written. */
  constructor(
    descriptor: number,
    clock: Pick<Clock, 'monotonicMs'>,
    tell: (lost: number, why: string) => void,
  ) {
    this.#descriptor = descriptor;
    this.#clock = clock;
    this.#tell = tell;
    this.#writer = this.#open();
  }

  write(lines: string, count: number): MaybePromise<void> {
    if (this.#clock.monotonicMs() < this.#triedAgainMs) {
      this.#lost += count;
      return;
    }
    this.#held += count;
    return this.#attempt((writer) => writer.write(lines), 0);
  }

  flush(): MaybePromise<void> {
    const count = this.#held;
    this.#held = 0;
    return this.#attempt((writer) => writer.flush(), count);
  }

  /** @param count of the lines that are written when the work is done. */
  #attempt(work: (writer: Bun.FileSink) => MaybePromise<number>, count: number): MaybePromise<void> {
    const writer = this.#writer;
    try {
      const working = work(writer);
      if (!(working instanceof Promise)) return this.#wrote(count);
      return working.then(
        () => this.#wrote(count),
        (error: unknown) => this.#lose(writer, error, count),
      );
    } catch (error) {
      this.#lose(writer, error, count);
    }
  }

  #wrote(count: number): void {
    if (count === 0 || this.#lost === 0) return;
    const lost = this.#lost;
    this.#lost = 0;
    this.#tell(lost, this.#why);
  }

  #lose(writer: Bun.FileSink, error: unknown, count: number): void {
    this.#lost += count;
    if (writer !== this.#writer) return;
    this.#lost += this.#held;
    this.#held = 0;
    this.#why = describeThrown(error);
    this.#triedAgainMs = this.#clock.monotonicMs() + failedForMs;
    // One that failed never writes again.
    this.#writer = this.#open();
  }

  #open(): Bun.FileSink {
    return Bun.file(this.#descriptor).writer({ highWaterMark: bufferBytes });
  }
}

/** TypeScript guards the list at compile time; this guards it against objects built elsewhere. */
function keepAllowed(fields: LogFields | undefined): LogFields {
  if (fields === undefined) return {};
  for (const name in fields) {
    if (!allowedFields.has(name)) {
      return Object.fromEntries(Object.entries(fields).filter(([field]) => allowedFields.has(field)));
    }
  }
  return fields;
}

function bounded(fields: LogFields): LogFields {
  const { detail, stack } = fields;
  if (detail === undefined && stack === undefined) return fields;
  return {
    ...fields,
    ...(detail === undefined ? {} : { detail: shortened(detail, maxDetailCharacters) }),
    ...(stack === undefined ? {} : { stack: shortened(stack, maxStackCharacters) }),
  };
}

function shortened(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1)}…`;
}
