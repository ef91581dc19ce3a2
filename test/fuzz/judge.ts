/** Sends one composed request and says what is wrong with the answer. */
import { isJsonObject, tryParseJson } from '../../src/protocols/json/fields.ts';
import type { Composed } from './compose.ts';
import { sendRaw } from './raw-client.ts';
import { failing } from './setting.ts';

export interface Heard {
  /** 0 where there was none, such as for a client that left. */
  readonly status: number;
  readonly tookMs: number;
  /** Of a whole answer that costs money. */
  readonly settledId: string | undefined;
  /** Empty when all is well. */
  readonly faults: readonly string[];
}

/** Longer ones tell nothing more, and a request of a megabyte must not be answered by many. */
const largestRefusalBytes = 65_536;
/** What `asAppError` says of a mistake of ours, in an answer or inside a stream. */
const ownMistake = 'Something went wrong on our side';
const freeEndpoints = ['count_tokens', 'gemini countTokens', 'models'];

export async function sendAndJudge(
  composed: Composed,
  { url, seed, slowMs }: { url: string; seed: number; slowMs: number },
): Promise<Heard> {
  const startMs = performance.now();
  const heard =
    composed.manner.kind === 'raw'
      ? await judgeRaw(composed, url, seed)
      : await judge(composed, url, 2 * slowMs);
  const tookMs = performance.now() - startMs;
  const faults = tookMs > slowMs ? [...heard.faults, `took more than ${slowMs} ms`] : heard.faults;
  return { ...heard, tookMs, faults };
}

type Judged = Omit<Heard, 'tookMs'>;

async function judgeRaw(composed: Composed, url: string, seed: number): Promise<Judged> {
  const { statuses, text, done } = await sendRaw(url, composed, seed);
  const faults = statuses
    .filter((status) => status >= 500 && !isAllowed(status, composed.model, text))
    .map((status) => `${status} to raw HTTP: ${done}`);
  if (text.includes(ownMistake)) faults.push(`a mistake of ours, to raw HTTP: ${done}`);
  return { status: statuses[0] ?? 0, settledId: undefined, faults };
}

async function judge(composed: Composed, url: string, patienceMs: number): Promise<Judged> {
  const { manner, method, endpoint } = composed;
  const leaving = new AbortController();
  const timer = manner.kind === 'leaves' ? setTimeout(() => leaving.abort(), manner.afterMs) : undefined;
  try {
    const response = await fetch(url + composed.path, {
      method,
      headers: new Headers(composed.headers.map(([name, value]) => [name, value])),
      ...(composed.body === null ? {} : { body: bodyOf(composed) }),
      signal: AbortSignal.any([leaving.signal, AbortSignal.timeout(patienceMs)]),
      redirect: 'manual',
    });
    const { text, isWhole } = await readAll(response, manner.kind === 'leaves after a piece');
    const faults = faultsIn(response, text, composed, isWhole);
    const isPaid =
      response.status === 200 && isWhole && method === 'POST' && !freeEndpoints.includes(endpoint);
    const settledId = isPaid ? (response.headers.get('x-request-id') ?? undefined) : undefined;
    return { status: response.status, settledId, faults };
  } catch (error) {
    if (leaving.signal.aborted) return { status: 0, settledId: undefined, faults: [] };
    const reason =
      error instanceof Error ? `${Reflect.get(error, 'code') ?? ''} ${error.message}` : String(error);
    return {
      status: 0,
      settledId: undefined,
      faults: mayBreak(composed, reason) ? [] : [`no answer: ${reason}`],
    };
  } finally {
    clearTimeout(timer);
  }
}

function bodyOf({ body, manner }: Composed): BodyInit {
  const bytes = new Uint8Array(body ?? []);
  if (manner.kind !== 'sends in pieces') return bytes;
  const size = Math.max(1, Math.ceil(bytes.length / 7));
  let at = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (at > 0) await Bun.sleep(1);
      controller.enqueue(bytes.subarray(at, at + size));
      at += size;
      if (at >= bytes.length) controller.close();
    },
  });
}

async function readAll(
  response: Response,
  leavesEarly: boolean,
): Promise<{ text: string; isWhole: boolean }> {
  if (!leavesEarly) return { text: await response.text(), isWhole: true };
  const reader = response.body?.getReader();
  const piece = await reader?.read();
  await reader?.cancel();
  return { text: Buffer.from(piece?.value ?? []).toString('utf8'), isWhole: false };
}

function faultsIn(response: Response, text: string, { method, model }: Composed, isWhole: boolean): string[] {
  const { status, headers } = response;
  const faults: string[] = [];
  if (status >= 500 && !isAllowed(status, model, headers)) faults.push(`${status}: ${text.slice(0, 300)}`);
  if (text.includes(ownMistake) && status < 500) faults.push('a mistake of ours inside a stream');
  // A head that is too long reaches no code of ours.
  if (
    status !== 431 &&
    headers.get('x-request-id') === null &&
    /^\/v1/.test(new URL(response.url).pathname)
  ) {
    faults.push(`${status} without a request id`);
  }
  if (status >= 400 && text.length > largestRefusalBytes)
    faults.push(`${status} of ${text.length} characters`);
  const isJson = headers.get('content-type')?.startsWith('application/json') === true;
  if (isJson && isWhole && method !== 'HEAD' && !isJsonDocument(text)) {
    if (!isFailing(headers)) faults.push(`${status} with JSON that cannot be read`);
  }
  return faults;
}

function isJsonDocument(text: string): boolean {
  const json = tryParseJson(text);
  return isJsonObject(json) || Array.isArray(json);
}

const isFailing = (headers: Headers): boolean =>
  headers.get('x-sluice-provider')?.startsWith(failing) === true;

/** A failure that was scripted, or one that is declared with the time to wait. */
function isAllowed(status: number, model: string, answer: Headers | string): boolean {
  const header = (name: string): string | null =>
    typeof answer === 'string'
      ? (new RegExp(`\n${name}: *([^\r\n]*)`, 'i').exec(answer)?.[1] ?? null)
      : answer.get(name);
  if (status === 503 && header('retry-after') !== null) return true;
  // HTTP's own, said before there is a request.
  if (status === 505 && typeof answer === 'string') return true;
  return (
    [502, 503, 504].includes(status) &&
    (header('x-sluice-provider')?.startsWith(failing) === true || model.startsWith(failing))
  );
}

/** Speech that its upstream breaks off breaks the connection; a head beyond HTTP's bounds may do so too. */
function mayBreak({ model, done }: Composed, reason: string): boolean {
  if (model.startsWith(failing) || model.startsWith('safe')) return /closed|reset|ECONN|socket/i.test(reason);
  return done.includes('x-filler') || /invalid|must be|Header/i.test(reason);
}
