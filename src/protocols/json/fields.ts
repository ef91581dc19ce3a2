/** Reads JSON that nobody has checked: each value is what was expected, or undefined. */

import { parseWithinLevels } from './levels.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as JSON, or undefined when it is none, or deeper than anything is read here. */
export function tryParseJson(text: string): unknown {
  try {
    return parseWithinLevels(text);
  } catch {
    return undefined;
  }
}

const emptyList: readonly unknown[] = [];

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Text that says something. */
export function asFilledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** More than any model reads or writes: a count above it is a mistake of the host, and nobody is to pay for it. */
const mostTokens = 100_000_000;

export function asTokenCount(value: unknown): number | undefined {
  const count = asCount(value);
  return count === undefined || count > mostTokens ? undefined : count;
}

export function asBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

export function asObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** Empty when it is no list. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : emptyList;
}

/** The objects of a list; anything else in it is passed over. */
export function asObjects(value: unknown): readonly JsonObject[] {
  const list = asList(value);
  return list.every(isJsonObject) ? list : list.filter(isJsonObject);
}

export function asTexts(value: unknown): readonly string[] {
  return asList(value).filter((item) => typeof item === 'string');
}
