/** Small faults in JSON, as a converter could make them: a value changed, something dropped, two neighbours swapped. */
import { isJsonObject, type JsonObject } from '../../src/protocols/json/fields.ts';

export interface Mutation {
  /** What was done where, with list positions and the names inside of schemas and arguments left out. */
  readonly what: string;
  /** A copy with the fault in it. */
  json(): JsonObject;
}

type Step = string | number;

/** Some bounds are compared by how much they are, roughly: one more is no fault there, many times as much is one. */
const leastToMultiply = 1000;

/** Inside of these the names are the caller's own. */
const foreign: ReadonlySet<string> = new Set([
  'schema',
  'parameters',
  'parametersJsonSchema',
  'responseJsonSchema',
  'input_schema',
  'args',
]);

export function mutationsOf(json: JsonObject): Mutation[] {
  return visit(json, []).map(({ what, change }) => ({
    what,
    json() {
      const copy = structuredClone(json);
      change(copy);
      return copy;
    },
  }));
}

interface Planned {
  readonly what: string;
  change(json: JsonObject): void;
}

function visit(value: unknown, path: readonly Step[]): Planned[] {
  if (Array.isArray(value)) {
    const swaps = value.slice(1).flatMap((item: unknown, before) => {
      if (Bun.deepEquals(item, value[before])) return [];
      return [plan('swap', path, (_parent, _step, list) => swap(list, before))];
    });
    return [...swaps, ...value.flatMap((item: unknown, at) => visitChild(item, [...path, at]))];
  }
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([name, child]) => visitChild(child, [...path, name]));
  }
  return [];
}

function visitChild(value: unknown, path: readonly Step[]): Planned[] {
  const drop = plan('drop', path, (parent, step) => {
    if (Array.isArray(parent)) parent.splice(Number(step), 1);
    else Reflect.deleteProperty(parent, step);
  });
  const isLeaf = value === null || typeof value !== 'object';
  if (!isLeaf) return Object.keys(value).length === 0 ? [] : [drop, ...visit(value, path)];
  // Nothing is the same as not being there.
  if (value === null || value === '') return [];
  const change = plan('change', path, (parent, step) => Reflect.set(parent, step, other(value)));
  if (typeof value !== 'number' || value < leastToMultiply) return [drop, change];
  const more = plan('multiply', path, (parent, step) => Reflect.set(parent, step, value * 16));
  return [drop, change, more];
}

function plan(
  kind: string,
  path: readonly Step[],
  change: (parent: object, step: Step, value: unknown) => void,
): Planned {
  return {
    what: `${kind} ${patternOf(path)}`,
    change(json) {
      const steps = [...path];
      const last = steps.pop() ?? '';
      const parent = steps.reduce<unknown>((at, step) => Reflect.get(Object(at), step), json);
      change(Object(parent), last, Reflect.get(Object(parent), last));
    },
  };
}

function patternOf(path: readonly Step[]): string {
  const at = path.findIndex((step, index) => {
    const isInput = step === 'input' && typeof path[index + 1] === 'string';
    if (step === 'response') return path[index - 1] === 'functionResponse';
    return isInput || (typeof step === 'string' && foreign.has(step));
  });
  const shown = at === -1 ? path : path.slice(0, at + 1);
  const text = shown.map((step) => (typeof step === 'number' ? '[]' : `.${step}`)).join('');
  return at === -1 || at === path.length - 1 ? text : `${text} inside`;
}

function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  const roles: Record<string, string> = { user: 'assistant', assistant: 'user', model: 'user' };
  return roles[String(value)] ?? `${value} rubbish`;
}

function swap(list: unknown, before: number): void {
  if (!Array.isArray(list)) return;
  const [item] = list.splice(before, 1);
  list.splice(before + 1, 0, item);
}
