/** One or more things wrong with a JSON body: its values, its members, its numbers, its depth, its size, its bytes. */
import { isJsonObject, type JsonObject } from '../../src/protocols/json/fields.ts';
import { fillers, oddBytes, oddNames, oddNumbers, oddStrings, oddValue } from './odd-values.ts';
import type { Random } from './random.ts';

/** Values and names of all sound requests, since what is right elsewhere is wrong here in likely ways. */
export interface Stock {
  readonly names: readonly string[];
  readonly values: readonly unknown[];
}

export function stockOf(requests: readonly JsonObject[]): Stock {
  const names = new Set<string>();
  const values = new Map<string, unknown>();
  const collect = (value: unknown): void => {
    const text = JSON.stringify(value);
    if (text.length < longestStocked) values.set(text, value);
    if (isJsonObject(value)) for (const name of Object.keys(value)) names.add(name);
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) collect(inner);
  };
  for (const request of requests) collect(request);
  return { names: [...names], values: [...values.values()] };
}

const longestStocked = 2000;
/** Of one repeated piece. */
const largestBytes = 1_500_000;

/** A place in a tree of JSON. */
interface Place {
  readonly holder: unknown[] | Record<string, unknown>;
  readonly key: string;
}

/** A copy of the body, changed, and texts that are to stand in it where values stand now. */
class Draft {
  readonly root: { body: unknown };
  readonly #texts: string[] = [];

  constructor(body: JsonObject) {
    this.root = { body: structuredClone(body) };
  }

  /** A value that is written as this text, JSON or not. */
  raw(text: string): string {
    this.#texts.push(text);
    return `${hole}${this.#texts.length - 1}${hole}`;
  }

  write(): string {
    const text = JSON.stringify(this.root.body) ?? '';
    return text.replace(holes, (_whole, at: string) => this.#texts[Number(at)] ?? '');
  }

  places(): readonly Place[] {
    const found: Place[] = [];
    const walk = (holder: unknown): void => {
      if (!Array.isArray(holder) && !isJsonObject(holder)) return;
      for (const [key, value] of Object.entries(holder)) {
        found.push({ holder, key });
        walk(value);
      }
    };
    walk(this.root);
    return found;
  }
}

const hole = '<<here>>';
const holes = new RegExp(`"?${hole}(\\d+)${hole}"?`, 'g');

const valueAt = ({ holder, key }: Place): unknown => Reflect.get(holder, key);
const put = ({ holder, key }: Place, value: unknown): void => {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
};

type Spoiling = (draft: Draft, random: Random, stock: Stock) => void;

function pickPlace(draft: Draft, random: Random, isFit: (place: Place) => boolean = () => true): Place {
  const places = draft.places();
  const fitting = places.filter(isFit);
  return random.pick(fitting.length === 0 ? places : fitting);
}

const swapValue: Spoiling = (draft, random) => put(pickPlace(draft, random), oddValue(random));

const swapNumber: Spoiling = (draft, random) => {
  const place = pickPlace(draft, random, (each) => typeof valueAt(each) === 'number');
  put(place, draft.raw(random.pick(oddNumbers)));
};

const swapString: Spoiling = (draft, random) => {
  const place = pickPlace(draft, random, (each) => typeof valueAt(each) === 'string');
  put(place, draft.raw(random.pick(oddStrings)));
};

const takeFromElsewhere: Spoiling = (draft, random, { values }) =>
  put(pickPlace(draft, random), structuredClone(random.pick(values)));

const drop: Spoiling = (draft, random) => {
  const { holder, key } = pickPlace(draft, random, (each) => each.holder !== draft.root);
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else if (holder !== draft.root) Reflect.deleteProperty(holder, key);
};

const isMember = ({ holder }: Place): boolean => !Array.isArray(holder);

const rename: Spoiling = (draft, random, { names }) => {
  const place = pickPlace(draft, random, (each) => isMember(each) && each.holder !== draft.root);
  const { holder, key } = place;
  if (holder === draft.root || Array.isArray(holder)) return;
  const value = valueAt(place);
  Reflect.deleteProperty(holder, key);
  const other = random.pick([
    key.toUpperCase(),
    key.replace(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase()),
    key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    `${key} `,
    random.pick(names),
    random.pick(oddNames),
  ]);
  put({ holder, key: other }, value);
};

const addMember: Spoiling = (draft, random, { names, values }) => {
  const place = pickPlace(draft, random, (each) => isJsonObject(valueAt(each)));
  const holder = valueAt(place);
  if (!isJsonObject(holder)) return;
  const name = random.oneIn(6) ? random.pick(oddNames) : random.pick(names);
  put({ holder, key: name }, random.oneIn(2) ? oddValue(random) : structuredClone(random.pick(values)));
};

/** The member is there twice, as no object of the language can have it. */
const duplicate: Spoiling = (draft, random, { values }) => {
  const { holder, key } = pickPlace(draft, random, (each) => isMember(each) && each.holder !== draft.root);
  if (Array.isArray(holder) || holder === draft.root) return;
  const value = JSON.stringify(random.oneIn(2) ? oddValue(random) : random.pick(values));
  put({ holder, key: draft.raw(`${JSON.stringify(key)}:${value},${JSON.stringify(key)}`) }, holder[key]);
};

const nest: Spoiling = (draft, random) => {
  const depth = random.weighted([
    [4, 10],
    [4, 60],
    [3, 300],
    [2, 2000],
    [1, 20_000],
    [0.3, 150_000],
  ]);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"properties":{"a":', '}}'],
    ['{"type":"array","items":', '}'],
    ['{"content":[', ']}'],
    ['[[', ''],
  ] as const);
  put(pickPlace(draft, random), draft.raw(`${open.repeat(depth)}1${close.repeat(depth)}`));
};

const repeatElement: Spoiling = (draft, random) => {
  const place = pickPlace(draft, random, ({ holder }) => Array.isArray(holder));
  const element = JSON.stringify(valueAt(place)) ?? 'null';
  const most = Math.floor(largestBytes / (element.length + 1));
  const wanted = random.weighted([
    [6, 3],
    [4, 30],
    [2, 300],
    [1, 3000],
    [0.3, 30_000],
    [0.1, 300_000],
  ]);
  const times = Math.min(most, wanted);
  put(place, draft.raw(Array.from({ length: times }, () => element).join(',')));
};

const manyMembers: Spoiling = (draft, random) => {
  const count = random.pick([10, 1000, 20_000]);
  const members = Array.from({ length: count }, (_, at) => `"m${at}":${at}`);
  put(pickPlace(draft, random), draft.raw(`{${members.join(',')}}`));
};

const stretch: Spoiling = (draft, random) => {
  const place = pickPlace(draft, random, (each) => typeof valueAt(each) === 'string');
  const filler = random.pick(fillers);
  const length = random.weighted([
    [4, 100],
    [4, 2000],
    [2, 60_000],
    [0.5, 1_000_000],
  ]);
  put(place, filler.repeat(Math.ceil(length / filler.length)));
};

const cutString: Spoiling = (draft, random) => {
  const place = pickPlace(draft, random, (each) => typeof valueAt(each) === 'string');
  const text = String(valueAt(place));
  const at = random.below(text.length + 1);
  const extra = random.pick(['', '', '\u0000', '\ud800', '\udfff', ' ', '=', '%', text]);
  put(place, text.slice(0, at) + extra + (random.oneIn(2) ? text.slice(at) : ''));
};

const spoilings: readonly (readonly [number, string, Spoiling])[] = [
  [6, 'another value', swapValue],
  [2, 'an odd number', swapNumber],
  [3, 'an odd string', swapString],
  [6, 'a value from elsewhere', takeFromElsewhere],
  [4, 'something dropped', drop],
  [4, 'a member renamed', rename],
  [4, 'a member added', addMember],
  [2, 'a member twice', duplicate],
  [1, 'deep', nest],
  [1.5, 'many elements', repeatElement],
  [0.3, 'many members', manyMembers],
  [1, 'a long string', stretch],
  [3, 'a string cut', cutString],
];

export function spoilJson(body: JsonObject, random: Random, stock: Stock): { text: string; done: string[] } {
  const draft = new Draft(body);
  const done: string[] = [];
  const times = random.pick([1, 1, 1, 2, 3, 6]);
  for (let time = 0; time < times; time += 1) {
    const [name, spoil] = random.weighted(spoilings.map(([weight, ...rest]) => [weight, rest] as const));
    spoil(draft, random, stock);
    done.push(name);
  }
  return { text: draft.write(), done };
}

/** The bytes of a body with something wrong that no JSON text would have. */
export function spoilBytes(bytes: Buffer, random: Random): { bytes: Buffer; done: string } {
  const at = random.below(bytes.length + 1);
  const [done, spoiled] = random.pick<readonly [string, () => Buffer]>([
    ['cut off', () => bytes.subarray(0, at)],
    [
      'odd bytes',
      () => Buffer.concat([bytes.subarray(0, at), Buffer.from(random.pick(oddBytes)), bytes.subarray(at)]),
    ],
    [
      'odd bytes',
      () =>
        Buffer.concat([bytes.subarray(0, at), Buffer.from(random.pick(oddBytes)), bytes.subarray(at + 1)]),
    ],
    ['a mark in front', () => Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), bytes])],
    ['UTF-16', () => Buffer.from(bytes.toString('utf8'), 'utf16le')],
    [
      'something behind',
      () => Buffer.concat([bytes, random.pick([bytes, Buffer.from('x'), Buffer.of(0), Buffer.from('\n\n')])]),
    ],
    ['space in front', () => Buffer.concat([Buffer.alloc(random.pick([1, 1000, 300_000]), ' '), bytes])],
    [
      'another body',
      () => Buffer.from(random.pick(['', 'null', '[]', '""', '{}', '0', '{', 'model=x', '<x/>', '\u0000'])),
    ],
  ]);
  return { bytes: spoiled(), done };
}
