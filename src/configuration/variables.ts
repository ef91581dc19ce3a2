/** Reads environment variables one by one, remembers which names exist and collects what is wrong with values. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { findClosest } from '../base/closest.ts';
import { readNanoUsd } from '../base/money.ts';
import { type Mistake, writeSuggestion } from './mistake.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

export interface VariableKind<Value> {
  /** Completes "expected …". */
  readonly expected: string;
  readonly schema: z.ZodType<Value, string>;
  /** The value may hold a password: it is never shown. */
  readonly isSecret?: true;
}

export class VariableReader {
  readonly mistakes: Mistake[] = [];
  readonly #from: Variables;
  readonly #names = new Set<string>();

  constructor(from: Variables) {
    this.#from = from;
  }

  /** The fallback stands for an unset or empty variable, and for a wrong one once the mistake is noted. */
  read<Value, Fallback>(name: string, kind: VariableKind<Value>, fallback: Fallback): Value | Fallback {
    this.#names.add(name);
    const text = this.#from[name];
    if (text === undefined || text === '') return fallback;
    const result = kind.schema.safeParse(text);
    if (result.success) return result.data;
    const shown = kind.isSecret === true ? 'the value' : JSON.stringify(text);
    this.note(name, `${shown} will not do, expected ${kind.expected}`);
    return fallback;
  }

  /** It may be set, though nothing here reads it. */
  expect(name: string): void {
    this.#names.add(name);
  }

  isSet(name: string): boolean {
    return (this.#from[name] ?? '') !== '';
  }

  note(name: string, message: string): void {
    this.mistakes.push({ where: name, position: null, message });
  }

  /** Notes every variable that begins like ours and was never read: a misspelt setting must not go unheard. */
  noteUnknown(prefix: string, exceptPrefixes: readonly string[]): void {
    for (const name of Object.keys(this.#from)) {
      if (!name.startsWith(prefix) || this.#names.has(name)) continue;
      if (exceptPrefixes.some((free) => name.startsWith(free))) continue;
      this.note(name, `is not a setting${this.#suggest(name, prefix)}`);
    }
  }

  /** By what is behind the prefix, which all have in common who have it, and which some do without. */
  #suggest(name: string, prefix: string): string {
    const rest = (each: string) => (each.startsWith(prefix) ? each.slice(prefix.length) : each);
    const byRest = new Map([...this.#names].map((each) => [rest(each), each]));
    const closest = findClosest(rest(name), byRest.keys());
    return writeSuggestion(closest === undefined ? undefined : byRest.get(closest));
  }
}

/** In nano-USD. */
export const usdAmount: VariableKind<bigint> = {
  expected: 'an amount in USD such as 10 or 2.50',
  schema: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/)
    .transform(readNanoUsd),
};

export const wholeNumber = (unit: string, range: { from: number; to: number }): VariableKind<number> => ({
  expected: `a whole number of ${unit} from ${range.from} to ${range.to}`,
  schema: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().min(range.from).max(range.to)),
});

export const choice = <Choice extends string>(choices: readonly Choice[]): VariableKind<Choice> => ({
  expected: `one of ${choices.join(', ')}`,
  schema: z.string().pipe(z.enum(choices)),
});

/** Made absolute from the folder that the program was started in. */
export const path = (expected: string): VariableKind<string> => ({
  expected,
  schema: z.string().transform((text) => resolve(text)),
});

/** `off` is null. An IPv6 address stands in brackets. */
export const listenAddress = (example: string): VariableKind<{ host: string; port: number } | null> => ({
  expected: `an address and port to listen on such as ${example}, or off`,
  schema: z.string().transform((text, context) => {
    if (text === 'off') return null;
    const [, bracketed, plain, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:\s/]+)):(\d{1,5})$/.exec(text) ?? [];
    const host = bracketed ?? plain;
    if (host !== undefined && Number(digits) <= 65_535) return { host, port: Number(digits) };
    context.addIssue('no address');
    return z.NEVER;
  }),
});

/** Slashes at the end are dropped. */
export const httpAddress = (example: string): VariableKind<string> => ({
  expected: `an http or https address without a user or a query, such as ${example}`,
  schema: z
    .url({ protocol: /^https?$/ })
    .regex(/^[^?#@]*$/)
    .transform((text) => text.replace(/\/+$/, '')),
});

/** It stands in a header. */
export const apiKey: VariableKind<string> = {
  expected: 'an API key: printable characters without spaces',
  schema: z
    .string()
    .trim()
    .regex(/^[!-~]+$/),
  isSecret: true,
};
