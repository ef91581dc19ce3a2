/** Those who ask, each one question after another, whatever becomes of the process that it asks. */

import type { Random } from '../fuzz/random.ts';
import { newToken } from '../support/sluice.ts';

export interface Client {
  readonly name: string;
  readonly token: string;
  /** Whether the wallet behind it is the small one. */
  readonly isPoor: boolean;
}

/** An answer that its client had whole. */
export interface Heard {
  readonly mark: string;
  readonly requestId: string;
}

export interface Asking {
  readonly client: Client;
  readonly random: Random;
  /** Of the process that it asks next. */
  readonly url: () => string | undefined;
  readonly model: string;
  readonly isOver: () => boolean;
  readonly heard: Heard[];
  /** By status; 0 where no answer came, or not the whole. */
  readonly statuses: Map<number, number>;
}

const patienceMs = 30_000;
/** Before a refused one asks again. */
const pauseMs = 100;

export const clientsOf = (count: number): readonly Client[] =>
  Array.from({ length: count }, (_, number) => ({
    name: `client-${number}`,
    token: newToken(),
    isPoor: number % 4 === 3,
  }));

export async function askOn(asking: Asking): Promise<void> {
  const { client, statuses, heard } = asking;
  for (let number = 1; !asking.isOver(); number += 1) {
    if (asking.url() === undefined) {
      await Bun.sleep(pauseMs);
      continue;
    }
    const mark = `${client.name}/${number}`;
    const { status, requestId, isWhole } = await ask(mark, asking);
    const counted = status === 200 && !isWhole ? 0 : status;
    statuses.set(counted, (statuses.get(counted) ?? 0) + 1);
    if (isWhole && requestId !== null) heard.push({ mark, requestId });
    else await Bun.sleep(pauseMs);
  }
}

interface Answered {
  readonly status: number;
  readonly requestId: string | null;
  readonly isWhole: boolean;
}

const nothing: Answered = { status: 0, requestId: null, isWhole: false };

async function ask(mark: string, { client, random, url, model }: Asking): Promise<Answered> {
  const address = url();
  if (address === undefined) return nothing;
  const stream = random.oneIn(2);
  const leaves = random.oneIn(12);
  const body = {
    model,
    stream,
    max_tokens: 5 + random.below(40),
    user: mark,
    messages: [{ role: 'user', content: `I am ${mark}.` }],
  };
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(patienceMs)]);
  try {
    const response = await fetch(`${address}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
    if (leaves) {
      leaving.abort();
      return nothing;
    }
    const text = await response.text();
    const { status } = response;
    const isWhole = status === 200 && (stream ? text.includes('data: [DONE]') : text.trimEnd().endsWith('}'));
    return { status, requestId: response.headers.get('x-request-id'), isWhole };
  } catch {
    return nothing;
  }
}
