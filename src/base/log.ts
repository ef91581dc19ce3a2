/** JSON logs, one object a line on standard output, with a closed list of fields so that nothing private slips in. */
import { type Clock, systemClock, type Timer } from './clock.ts';

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
  const sink = Bun.file(options.fileDescriptor ?? 1).writer({ highWaterMark: bufferBytes });
  const least = logLevels.indexOf(options.level);
  const clock = options.clock ?? systemClock;
  let flushTimer: Timer | undefined;
  /** Lines that the sink does not have yet: each write crosses into the runtime, so that many go as one text. */
  let gathered = '';
  const pour = () => {
    const lines = gathered;
    gathered = '';
    sink.write(lines);
  };
  const flush = () => {
    flushTimer?.cancel();
    flushTimer = undefined;
    if (gathered !== '') pour();
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
      if (gathered.length >= bufferBytes) pour();
      flushTimer ??= clock.after(flushEveryMs, () => void flush());
    };
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    flush: async () => {
      await flush();
    },
  };
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
