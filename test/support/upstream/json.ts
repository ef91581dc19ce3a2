/** Narrows JSON of unknown shape, one field at a time. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object under `key`, or an empty one, so that reads can be chained. */
export function readObject(from: unknown, key: string): JsonObject {
  const value = isObject(from) ? from[key] : undefined;
  return isObject(value) ? value : {};
}

export function readList(from: unknown, key: string): readonly unknown[] {
  const value = isObject(from) ? from[key] : undefined;
  return Array.isArray(value) ? value : [];
}

export function readText(from: unknown, key: string): string | undefined {
  const value = isObject(from) ? from[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

export function readNumber(from: unknown, key: string): number | undefined {
  const value = isObject(from) ? from[key] : undefined;
  return typeof value === 'number' ? value : undefined;
}

/** The parsed text, or undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
