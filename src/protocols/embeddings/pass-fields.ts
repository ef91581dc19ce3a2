/** The client's own fields that an upstream gets as they came. */
import type { JsonObject } from '../json/fields.ts';

/** What the reader of the request has understood, and what is meant for the gateway alone. */
const readFields = ['model', 'metadata', 'input', 'encoding_format', 'dimensions', 'input_type'];

/** @param names the fields that the upstream knows; `all` for every field of an embeddings request that nobody here does. */
export function passFields(json: JsonObject, names: 'all' | readonly string[]): JsonObject {
  const passes = (name: string) => (names === 'all' ? !readFields.includes(name) : names.includes(name));
  // Null stands for an absent field.
  return Object.fromEntries(Object.entries(json).filter(([name, value]) => value !== null && passes(name)));
}
