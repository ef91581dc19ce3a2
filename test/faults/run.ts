/** One run: an edition of Sluice between a client and two upstream doubles, and each fault in each form at each place. */
import { goingOn } from '../support/going-on.ts';
import { type SluiceProgram, startProgram } from '../support/program.ts';
import { newToken, owner, usualModel, usualProvider } from '../support/sluice.ts';
import { refusedUrl, startUpstream, type Upstream } from '../support/upstream/index.ts';
import { gradeTrial, type Verdict } from './grade.ts';
import { type Answer, type Client, clients } from './hear.ts';
import { type NamedFault, sixteenFaults } from './sixteen.ts';

/** Where the faulty provider stands. */
export const places = {
  lasting: 'One provider, and the fault stays',
  passing: 'One provider, and the fault is gone at the next request',
  second: 'A sound second provider, and the fault of the first stays',
} as const;
export type Place = keyof typeof places;
export const placeNames: readonly Place[] = ['lasting', 'passing', 'second'];

export interface FaultResult extends Verdict {
  readonly place: Place;
  readonly fault: string;
  readonly isStreamed: boolean;
  readonly client: string;
  /** 0 for a client that heard none. */
  readonly status: number;
  /** The answer says that another one went on with it. */
  readonly isRescueTold: boolean;
  readonly tookMs: number;
}

export interface FaultRunOptions {
  /** A checkout of another edition; this one when not given. */
  readonly checkout?: string | undefined;
  readonly isWanted?: (fault: string) => boolean;
  /** Asks for answers that are gone on with when they break off. */
  readonly isRescued?: boolean;
  /** How many requests at once; times are true of one alone. */
  readonly atOnce?: number;
  /** So many times the usual is everybody waited for, on a machine that has much else to do. */
  readonly patience?: number;
}

/** What a client waits; no provider is waited for as long. */
export const deadlineMs = 5000;
export const timeoutsMs = { first_byte: 800, whole_answer: 800, idle: 500 };
/** Of the provider that is sound: on a busy machine a pause of its process is no fault. */
const soundMs = { first_byte: 60_000, whole_answer: 60_000, idle: 60_000 };

/** They have several pieces, so that there is a middle. */
const firstWords = 'the first of them says what it has to say';
const secondWords = 'and the second says something else instead';
const upstreamKey = 'upstream-secret';
/** Between the pieces of an answer, so that what came before a fault is read before it. */
const chunkDelayMs = 5;

interface Case {
  readonly id: string;
  readonly place: Place;
  readonly fault: NamedFault;
  readonly client: Client;
  readonly isStreamed: boolean;
}

/** Results are in the order of the table, whatever is run at once. */
export async function runFaults({
  checkout,
  isWanted = () => true,
  isRescued = false,
  atOnce = 1,
  patience = 1,
}: FaultRunOptions): Promise<readonly FaultResult[]> {
  const cases = allCases().filter(({ fault }) => isWanted(fault.name));
  const shape = { chunkDelayMs };
  const first = startUpstream({ defaultAnswer: goingOn(firstWords, { shape }) });
  const second = startUpstream({ defaultAnswer: goingOn(firstWords, { otherwise: secondWords, shape }) });
  const nobody = await refusedUrl();
  const token = newToken();
  for (const one of cases) playFault(first, one);
  try {
    const urls = { first: first.url, second: second.url, nobody: nobody.url };
    const file = configurationOf(cases, { ...urls, token, patience });
    const program = await startProgram({ file, variables: { SLUICE_LOG_LEVEL: 'error' }, checkout });
    try {
      const scene = { program, token, second, isRescued, clientWaitsMs: deadlineMs * patience };
      const results: FaultResult[] = [];
      let next = 0;
      const runOnAndOn = async () => {
        while (next < cases.length) {
          const at = next++;
          const one = cases[at];
          if (one !== undefined) results[at] = await tryCase(one, scene);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, runOnAndOn));
      return results;
    } finally {
      await program.discard();
    }
  } finally {
    first.stop();
    second.stop();
    nobody.release();
  }
}

function allCases(): readonly Case[] {
  return placeNames.flatMap((place) =>
    sixteenFaults
      // Nobody listens at the next request either.
      .filter(({ fault }) => fault !== null || place !== 'passing')
      .flatMap((fault) =>
        [false, true].flatMap((isStreamed) =>
          clients.map((client) => ({
            id: [place, fault.name, isStreamed ? 'streamed' : 'whole', client.name]
              .join('-')
              .replaceAll(' ', '_'),
            place,
            fault,
            client,
            isStreamed,
          })),
        ),
      ),
  );
}

/** Each case has a model of its own, so that nothing that is learned of a provider in one changes another. */
function playFault(first: Upstream, { id, place, fault: { fault } }: Case): void {
  if (fault === null) return;
  let faulty: number | undefined;
  first.when(
    ({ model, number }) => {
      if (model !== id) return false;
      faulty ??= number;
      return place !== 'passing' || number === faulty;
    },
    { fault, generate: { text: firstWords }, shape: { chunkDelayMs } },
  );
}

interface Urls {
  readonly first: string;
  readonly second: string;
  readonly nobody: string;
}

function configurationOf(
  cases: readonly Case[],
  { first, second, nobody, token, patience }: Urls & { readonly token: string; readonly patience: number },
): object {
  const { first_byte: firstByteMs, whole_answer: wholeAnswerMs, idle: idleMs } = timeoutsMs;
  const timeouts = {
    first_byte: firstByteMs * patience,
    whole_answer: wholeAnswerMs * patience,
    idle: idleMs * patience,
  };
  const provider = (name: string, url: string) => ({
    ...usualProvider(url),
    name,
    credentials: [{ name: 'k1', api_key: upstreamKey }],
    timeouts_ms: timeouts,
  });
  return {
    users: [{ email: owner, password: 'a long enough password', role: 'platform_owner', wallet_usd: 25 }],
    providers: [
      { ...provider('second', second), timeouts_ms: soundMs },
      ...cases.map(({ id, fault }) => provider(id, fault.fault === null ? nobody : first)),
    ],
    models: cases.map(({ id, place }) => ({
      ...usualModel,
      id,
      aliases: [],
      providers: [
        { provider: id, upstream_id: id },
        ...(place === 'second' ? [{ provider: 'second', upstream_id: id }] : []),
      ],
    })),
    keys: [{ name: 'usual', owner, token }],
  };
}

interface Scene {
  readonly program: SluiceProgram;
  readonly token: string;
  readonly second: Upstream;
  readonly isRescued: boolean;
  readonly clientWaitsMs: number;
}

async function tryCase(
  { id, place, fault, client, isStreamed }: Case,
  { program, token, second, isRescued, clientWaitsMs }: Scene,
): Promise<FaultResult> {
  const startMs = performance.now();
  const answer = await ask(`${program.url}${client.path}`, {
    headers: { authorization: `Bearer ${token}`, ...(isRescued ? { 'x-sluice-rescue': 'on' } : {}) },
    body: client.body(id, isStreamed),
    withinMs: clientWaitsMs,
  });
  const tookMs = performance.now() - startMs;
  const none: Answer = { status: 0, text: '', isBroken: true };
  const verdict = gradeTrial({
    fault,
    answer,
    heard: client.hear(answer ?? none, isStreamed),
    soundWords: [firstWords, secondWords],
    secrets: [upstreamKey, 'org-double-account', new URL(second.url).host],
    isSecondAsked: second.requests.some(({ model }) => model === id),
  });
  return {
    place,
    fault: fault.name,
    isStreamed,
    client: client.name,
    status: answer?.status ?? 0,
    isRescueTold: answer?.text.includes('"rescue":{"how":') === true,
    tookMs,
    ...verdict,
  };
}

/** Null when the deadline came first. */
async function ask(
  url: string,
  { headers, body, withinMs }: { headers: Record<string, string>; body: object; withinMs: number },
): Promise<Answer | null> {
  const signal = AbortSignal.timeout(withinMs);
  let status = 0;
  let text = '';
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
    status = response.status;
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) text += decoder.decode(piece, { stream: true });
    return { status, text, isBroken: false };
  } catch {
    return signal.aborted ? null : { status, text, isBroken: true };
  }
}
