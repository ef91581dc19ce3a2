/** How fields of a form become values: empty texts, lists of ticks, switches. */
import { z } from 'zod';

/** A form sends an empty text where nothing is filled in. */
export const emptyIsNull = (given: unknown): unknown => (given === '' ? null : given);

/** A form has an empty one before those that are ticked, so that none at all is a choice too. */
export const readList = (given: unknown): unknown => {
  if (typeof given === 'string') return given === '' ? [] : [given];
  return Array.isArray(given) ? given.filter((one) => one !== '') : given;
};

export const readSwitch = (given: unknown): unknown => {
  const last: unknown = Array.isArray(given) ? given.at(-1) : given;
  return last === 'on' ? true : last === 'off' ? false : last;
};

export const names = z
  .preprocess(readList, z.array(z.string().min(1).max(300)).max(2000).nullable())
  .optional()
  .describe('Null allows every one');

export const choice = z
  .enum(['any', 'these'])
  .optional()
  .describe('Of a form: whether the list beside it counts; `any` is null');
