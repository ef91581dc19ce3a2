/** Makes the request of a number: a sound one, spoiled in its body, its form, its headers or its address. */
import { deflateSync, gzipSync } from 'node:zlib';
import { asObject } from '../../src/protocols/json/fields.ts';
import { Random } from './random.ts';
import type { SoundRequest } from './sound-requests.ts';
import { type Stock, spoilBytes, spoilJson, stockOf } from './spoil-json.ts';
import { type Writing, writeForm } from './write-form.ts';

export interface Composed {
  /** From 0; with the seed it makes the same request again, but for the tokens. */
  readonly number: number;
  readonly endpoint: string;
  readonly method: string;
  readonly path: string;
  readonly model: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | null;
  /** What was done to it; empty for one that is right. */
  readonly done: readonly string[];
  readonly manner: Manner;
}

/** How the client behaves; `raw` gives the bytes to `raw-client.ts`, which spoils HTTP itself. */
export type Manner =
  | { readonly kind: 'patient' }
  | { readonly kind: 'leaves'; readonly afterMs: number }
  | { readonly kind: 'leaves after a piece' }
  | { readonly kind: 'sends in pieces' }
  | { readonly kind: 'raw' };

interface Draft {
  readonly endpoint: string;
  method: string;
  path: string;
  headers: [string, string][];
  body: Buffer | null;
  readonly done: string[];
}

export interface Tokens {
  readonly usual: string;
  readonly others: readonly string[];
}

export class Composer {
  readonly #stock: Stock;
  /** An endpoint is asked as often as another, however many sound requests it has. */
  readonly #byEndpoint: readonly (readonly SoundRequest[])[];

  readonly #seed: number;
  readonly #tokens: Tokens;

  constructor(seed: number, sound: readonly SoundRequest[], tokens: Tokens) {
    this.#seed = seed;
    this.#tokens = tokens;
    this.#stock = stockOf(sound.flatMap(({ json }) => (json === undefined ? [] : [json])));
    this.#byEndpoint = [...Map.groupBy(sound, ({ endpoint }) => endpoint).values()];
  }

  compose(number: number): Composed {
    const random = new Random(this.#seed, number);
    const sound = random.pick(random.pick(this.#byEndpoint));
    const model = random.oneIn(60) ? random.pick(oddModels) : random.pick(sound.models);
    const { endpoint, method } = sound;
    const draft: Draft = {
      endpoint,
      method,
      path: sound.path(model),
      headers: [['authorization', `Bearer ${this.#tokens.usual}`]],
      body: null,
      done: [],
    };
    const isLeft = random.oneIn(12);
    if (sound.json !== undefined) this.#writeJson(draft, sound, { model, random, isLeft });
    if (sound.form !== undefined) {
      const form = writeForm(sound.form, { model, random, isLeft });
      draft.headers.push(['content-type', form.contentType]);
      draft.body = form.body;
      draft.done.push(...form.done);
      if (!isLeft && random.oneIn(4)) spoilBody(draft, random);
    }
    if (random.oneIn(5)) this.#spoilHead(draft, random);
    return { ...draft, number, model, manner: mannerFrom(random) };
  }

  #writeJson(draft: Draft, { json }: SoundRequest, { model, random, isLeft }: Writing): void {
    const named = draft.path.includes(model) ? { ...json } : { ...json, model };
    draft.headers.push(['content-type', 'application/json']);
    if (isLeft) {
      draft.body = Buffer.from(JSON.stringify(named));
      return;
    }
    const { text, done } = spoilJson(asObject(named) ?? {}, random, this.#stock);
    draft.body = Buffer.from(text);
    draft.done.push(...done);
    if (random.oneIn(8)) spoilBody(draft, random);
  }

  #spoilHead(draft: Draft, random: Random): void {
    const { usual, others } = this.#tokens;
    const set = (name: string, value: string) => {
      draft.headers = [...draft.headers.filter(([known]) => known !== name), [name, value]];
      draft.done.push(name);
    };
    const change = random.weighted<() => void>([
      [3, () => set('content-type', random.pick(contentTypes))],
      [2, () => set('authorization', `Bearer ${random.pick(others)}`)],
      [
        1,
        () =>
          set(
            'authorization',
            random.pick(['', 'Bearer', 'Basic eDp5', `bearer ${usual}`, `Bearer  ${usual} `]),
          ),
      ],
      [1, () => set(random.pick(['x-api-key', 'x-goog-api-key']), random.pick([usual, 'nonsense', '']))],
      [
        1,
        () =>
          set('accept', random.pick(['', '*/*', 'text/event-stream', 'text/html', 'application/xml;q=x'])),
      ],
      [1, () => set('anthropic-version', random.pick(['2023-06-01', '1', 'x'.repeat(300), '']))],
      [1, () => set('anthropic-beta', random.pick(['context-1m-2025-08-07', ',', 'a,'.repeat(2000)]))],
      [1, () => set('x-session-id', random.pick(['one', 'é', 'x'.repeat(4000)]))],
      [1, () => set('x-filler', 'x'.repeat(random.pick([10, 4000, 12_000, 20_000])))],
      [1, () => compress(draft, set, random)],
      [1, () => spoilMethod(draft, random)],
      [2, () => spoilPath(draft, random)],
    ]);
    change();
  }
}

const oddModels = [
  ...['nobody', '', ' ', 'over-chat ', 'OVER-CHAT', 'models/over-chat', '../over-chat', 'a/b/c', '__proto__'],
  ...['constructor', 'x'.repeat(256), 'x'.repeat(5000), '🦥', 'ears', 'vectors', '\u0000', '%00', '*'],
];

const contentTypes = [
  ...['', 'text/plain', 'application/json; charset=utf-16', 'application/x-www-form-urlencoded', 'json'],
  ...[
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${'b'.repeat(300)}`,
  ],
  ...['application/problem+json', 'application/json, text/plain', 'x'.repeat(2000), ';', 'a/b;c="', '*/*'],
];

function spoilBody(draft: Draft, random: Random): void {
  const { bytes, done } = spoilBytes(draft.body ?? Buffer.alloc(0), random);
  draft.body = bytes;
  draft.done.push(done);
}

function compress(draft: Draft, set: (name: string, value: string) => void, random: Random): void {
  const encoding = random.pick(['gzip', 'deflate', 'br', 'identity', 'gzip, gzip', 'x']);
  const { body } = draft;
  if (body !== null && encoding === 'gzip') draft.body = gzipSync(body);
  if (body !== null && encoding === 'deflate') draft.body = deflateSync(body);
  set('content-encoding', encoding);
}

function spoilMethod(draft: Draft, random: Random): void {
  draft.method = random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']);
  if (draft.method === 'GET' || draft.method === 'HEAD') draft.body = null;
  draft.done.push('method');
}

function spoilPath(draft: Draft, random: Random): void {
  const { path } = draft;
  const at = random.below(path.length);
  draft.path = random.pick([
    `${path}/`,
    path.replace('/v1', '/v1/v1'),
    path.replaceAll('/', '//'),
    path.toUpperCase(),
    `${path}?${'a=b&'.repeat(random.pick([1, 500]))}`,
    `${path}?key=${'%'}`,
    `${path}${random.pick(['%', '%zz', '%00', '%2e%2e%2f', '%ff%fe', ';x', '#y', '?alt=sse&alt=json', ':', ':x'])}`,
    path.slice(0, at) + random.pick(['%2F', '.', '..', '~', 'é', '%C3', '{', '*']) + path.slice(at),
    path.slice(0, at),
    path.slice(0, 20) + 'x'.repeat(random.pick([100, 5000])),
    '/'.repeat(random.pick([1, 500])) + path,
  ]);
  if (!draft.path.startsWith('/')) draft.path = `/${draft.path}`;
  draft.done.push('path');
}

function mannerFrom(random: Random): Manner {
  return random.weighted<() => Manner>([
    [80, () => ({ kind: 'patient' })],
    [5, () => ({ kind: 'leaves', afterMs: random.pick([0, 1, 3, 10, 40]) })],
    [4, () => ({ kind: 'leaves after a piece' })],
    [5, () => ({ kind: 'sends in pieces' })],
    [6, () => ({ kind: 'raw' })],
  ])();
}
