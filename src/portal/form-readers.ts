/** How fields of a form become values: empty texts, lists of ticks, switches. */
import { z } from 'zod';

/** A form sends an empty text where nothing is filled in. */
export const emptyIsNull = (given: unknown): unknown => (given === '' ? null : given);

/** A form sends what was left empty as an empty text. */
export const orEmpty = <Field extends z.ZodType>(field: Field) =>
  z.preprocess((given) => (given === '' ? undefined : given), field.optional());

/** A form has an empty one before those that are ticked, so that none at all is a choice too. */
export const readList = (given: unknown): unknown => {
  if (typeof given === 'string') return given === '' ? [] : [given];
  return Array.isArray(given) ? given.filter((one) => one !== '') : given;
};

/** Of a form a list: an `off` that is hidden, and behind it an `on` where it is ticked. */
export const readSwitch = (given: unknown): unknown => {
  const last: unknown = Array.isArray(given) ? given.at(-1) : given;
  return last === 'on' ? true : last === 'off' ? false : last;
};
