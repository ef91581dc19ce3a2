/**
 * Predicates for a check of requests that runs before their schema. A schema builds some hundred objects for a request
 * and says what is wrong with it; most requests have nothing wrong. Each says yes only to what the schema takes, and no
 * where that is not plain to see: then the schema decides.
 */

import { isJsonObject } from './fields.ts';

/** A member that the official clients leave out, or send as null. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

export const isTextOrAbsent = (value: unknown): boolean => typeof value === 'string' || isAbsent(value);

export const isBooleanOrAbsent = (value: unknown): boolean => typeof value === 'boolean' || isAbsent(value);

export const isTextWithin = (value: unknown, least: number, most: number): value is string =>
  typeof value === 'string' && value.length >= least && value.length <= most;

export const isTextUpTo = (value: unknown, most: number): boolean =>
  isAbsent(value) || (typeof value === 'string' && value.length <= most);

export const isNumberWithin = (value: unknown, least: number, most: number): boolean =>
  isAbsent(value) || (typeof value === 'number' && value >= least && value <= most);

export const isCountWithin = (value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): boolean =>
  isAbsent(value) ||
  (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most);

/** Whether a value is a list of which each entry is as it must be. */
export function isListOf(value: unknown, isEntry: (entry: unknown) => boolean): value is readonly unknown[] {
  if (!Array.isArray(value)) return false;
  for (const entry of value) if (!isEntry(entry)) return false;
  return true;
}

/** The metadata of a request, of which two members are for the gateway. */
export const isRoutingMetadata = (value: unknown): boolean =>
  isAbsent(value) ||
  (isJsonObject(value) && isTextUpTo(value['session_id'], 512) && isTextUpTo(value['sticky_key'], 512));
