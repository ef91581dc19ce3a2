/** JSON logs, one object a line on standard output, with a closed list of fields so that nothing private slips in. */
import pino from 'pino';

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
  'costUsd',
  'stack',
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

/** Every field a log line may carry besides level, time and msg. Bodies, tokens and addresses have no place here. */
export type LogFields = { readonly [name in (typeof textFields)[number]]?: string } & {
  readonly [name in (typeof numberFields)[number]]?: number;
} & { readonly streamed?: boolean };

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Writes what is buffered; call before the process ends. */
  flush(): void;
}

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const allowedFields: ReadonlySet<string> = new Set([...textFields, ...numberFields, 'streamed']);

/** @param options.fileDescriptor where lines go; standard output when not given. */
export function openLog(options: { level: LogLevel; fileDescriptor?: number }): Log {
  const destination = pino.destination({ fd: options.fileDescriptor ?? 1, sync: false, minLength: 16_000 });
  const sink = pino(
    { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    destination,
  );
  const flushTimer = setInterval(() => destination.flush(), 250);
  flushTimer.unref();
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: LogFields) =>
    sink[level](keepAllowed(fields), message);
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    flush: () => destination.flushSync(),
  };
}

/** TypeScript guards the list at compile time; this guards it against objects built elsewhere. */
function keepAllowed(fields: LogFields | undefined): object {
  if (fields === undefined) return {};
  for (const name in fields) {
    if (!allowedFields.has(name)) {
      return Object.fromEntries(Object.entries(fields).filter(([field]) => allowedFields.has(field)));
    }
  }
  return fields;
}

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  flush: () => undefined,
};
