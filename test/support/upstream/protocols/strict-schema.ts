/** What a schema must be to be held to strictly: closed, and demanding each of its properties. */
import { isObject, readList, readObject } from '../json.ts';

/** The sentence for the first object that is open or leaves something out; undefined when there is none. */
export function findOpenObject(schema: unknown, place: string): string | undefined {
  if (!isObject(schema)) return undefined;
  const properties = readObject(schema, 'properties');
  const names = Object.keys(properties);
  if (schema['type'] === 'object') {
    const required = readList(schema, 'required');
    const isClosed = schema['additionalProperties'] === false;
    if (!isClosed || names.some((name) => !required.includes(name))) {
      return `The strict schema ${place} is open, or does not demand all of ${names.join(', ')}.`;
    }
  }
  const inner = names.map((name) => findOpenObject(properties[name], `${place}.${name}`));
  return inner.find((fault) => fault !== undefined) ?? findOpenObject(schema['items'], `${place}.items`);
}
