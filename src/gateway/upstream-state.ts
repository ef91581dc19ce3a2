/**
 * State that an upstream holds of a conversation: a response that it has stored, reasoning that it has encrypted. Only
 * the account that made it can go on with it, so who that was is remembered for a day, and for which key, by a hash of
 * the state: another key's is refused. README.md says what becomes of a request whose account is gone.
 */
import { AppError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Caller } from '../identity/index.ts';
import {
  asFilledText,
  asObject,
  asObjects,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../protocols/json/fields.ts';
import { skimFront } from '../protocols/json/text.ts';
import type { InferenceRequest } from '../protocols/translator.ts';
import type { Candidate } from '../routing/index.ts';
import type { Asked, Asking, PaidEndpoint } from './endpoint.ts';
import type { Plan, Plans } from './plans.ts';
import { mostTurns } from './recall.ts';
import type { RequestFacts } from './request-facts.ts';
import type { GatewayServices } from './services.ts';
import type { HeldState } from './session.ts';

type StateKind = HeldState['kind'];

/** The newest that a request of the Responses protocol refers to; what was before it came from there too. */
export function heldState({ json, text }: InferenceRequest): HeldState | null {
  const previous = asFilledText(json['previous_response_id']);
  if (previous !== undefined) return { kind: 'previous_response_id', value: previous };
  const { input } = json;
  if (!Array.isArray(input) || !text.includes('"encrypted_content"')) return null;
  const value = encryptedIn(input);
  return value === undefined ? null : { kind: 'encrypted_content', value };
}

const encryptedIn = (items: readonly unknown[]): string | undefined =>
  asFilledText(
    asObject(items.findLast((item) => isJsonObject(item) && hasEncrypted(item)))?.['encrypted_content'],
  );

const hasEncrypted = (item: JsonObject): boolean => asFilledText(item['encrypted_content']) !== undefined;

/** So many characters behind its prefix have what nobody is given twice; self-hosted servers may draw a short number. */
const shortestOfChance = 24;
const prefix = /^[a-z]+_/i;

const isOfChance = (value: string): boolean =>
  value.length - (prefix.exec(value)?.[0].length ?? 0) >= shortestOfChance;

/**
 * The same for whoever sends it, so that what was made for one key is known not to be another's; each key's own where
 * several may have been given the same.
 */
function wordOf({ keyId }: Pick<Caller, 'keyId'>, { kind, value }: HeldState): string {
  const whose = isOfChance(value) ? '' : `${keyId} `;
  return new Bun.CryptoHasher('sha256').update(`${kind} ${whose}${value}`).digest('base64url').slice(0, 24);
}

/** For whom it was made, and by which account. */
const writeHolder = ({ keyId }: Pick<Caller, 'keyId'>, state: string): string => `${keyId} ${state}`;

function readHolder(holder: string): { readonly keyId: number; readonly state: string } {
  const at = holder.indexOf(' ');
  return { keyId: Number(holder.slice(0, at)), state: holder.slice(at + 1) };
}

/**
 * The request with its answer looked at, where that leaves state with the upstream: what it stores, unless it was told
 * not to, and what it encrypts, where it was asked for that.
 */
export function notingState({ request, caller, call, services }: Asking<InferenceRequest>): InferenceRequest {
  const { json, keep } = request;
  const { include } = json;
  const encrypts = Array.isArray(include) && include.includes('reasoning.encrypted_content');
  if (json['store'] === false && !encrypts) return request;
  const { state } = call.candidate.names;
  const note = (held: HeldState) =>
    services.routes.keepState(wordOf(caller, held), writeHolder(caller, state));
  return {
    ...request,
    keep(response, isMadeHere) {
      keep?.(response, isMadeHere);
      // Its end is another upstream's, so that neither holds all of it.
      if (isMadeHere === true) return;
      // What was generated is only read where it can hold what was encrypted.
      const front = encrypts ? null : skimFront(response, 'output');
      const { id, output } = front?.['id'] === undefined ? (asObject(tryParseJson(response)) ?? {}) : front;
      const made = asFilledText(id);
      if (made !== undefined && json['store'] !== false) note({ kind: 'previous_response_id', value: made });
      const encrypted = encrypts ? encryptedIn(asObjects(output)) : undefined;
      if (encrypted !== undefined) note({ kind: 'encrypted_content', value: encrypted });
    },
  };
}

/** Deleted by its key: nobody goes on with it from here. No key has the id 0. */
export function forgetState(
  caller: Pick<Caller, 'keyId'>,
  responseId: string,
  { routes }: Pick<GatewayServices, 'routes'>,
): void {
  const word = wordOf(caller, { kind: 'previous_response_id', value: responseId });
  routes.keepState(word, writeHolder({ keyId: 0 }, 'deleted'));
}

interface Binding {
  readonly caller: Caller;
  readonly facts: RequestFacts;
  readonly services: GatewayServices;
}

/**
 * Only those who can go on with what the upstream holds: the account that made it, and those who need nothing of it
 * because the conversation is put together again for them.
 * @throws AppError upstream_state_gone where nobody is left; invalid_parameter for what was made for another key.
 */
export function bindToState<Ask extends Asked>(
  endpoint: Pick<PaidEndpoint<Ask>, 'heldState' | 'needsState'>,
  plans: Plans<Ask>,
  binding: Binding,
): MaybePromise<Plans<Ask>> {
  const named = endpoint.heldState?.(plans[0].request) ?? null;
  const held = named === null ? null : withUpstream(named, binding);
  if (named === null || held === null) return plans;
  const { caller, facts, services } = binding;
  const origin = services.routes.findState(wordOf(caller, held));
  const bind = (holder: string | null) => {
    if (holder === null) return plans;
    const { keyId, state } = readHolder(holder);
    if (keyId !== caller.keyId) throw unknownState(named);
    const isKept = held.kind === 'encrypted_content' || isContinuable(services, caller, held.value);
    const mayGoOn = ({ names, supports }: Candidate) =>
      names.state === state || (isKept && endpoint.needsState?.(supports) === false);
    const [first, ...others] = plans.flatMap((plan): Plan<Ask>[] => {
      const able = plan.candidates.filter(mayGoOn);
      const ofOrigin = able.filter(({ names }) => names.state === state);
      const candidates = [...ofOrigin, ...able.filter((each) => !ofOrigin.includes(each))];
      return candidates.length === 0 ? [] : [{ ...plan, candidates }];
    });
    if (first === undefined) throw goneState(held.kind);
    facts.heldBy = held.kind;
    const bound: Plans<Ask> = [first, ...others];
    return bound;
  };
  return origin instanceof Promise ? origin.then(bind) : bind(origin);
}

/**
 * What an upstream holds of it. Responses that were made here are put together again for whoever is asked (`recall.ts`),
 * down to the one before them that is an upstream's own.
 * @returns null where there is none before them.
 */
function withUpstream(named: HeldState, { caller, services }: Binding): HeldState | null {
  if (named.kind !== 'previous_response_id') return named;
  let { value } = named;
  for (let turns = 0; turns < mostTurns; turns += 1) {
    const kept = services.keptResponses.find(caller.keyId, value);
    if (kept?.isMadeHere !== true) break;
    if (kept.previousId === null) return null;
    value = kept.previousId;
  }
  return { kind: named.kind, value };
}

function isContinuable({ keptResponses }: GatewayServices, { keyId }: Caller, id: string): boolean {
  const kept = keptResponses.find(keyId, id);
  return kept !== undefined && !kept.lacksInput;
}

const instead: Readonly<Record<StateKind, string>> = {
  previous_response_id:
    'To go on elsewhere send the whole conversation in input, without previous_response_id.',
  encrypted_content:
    'To go on elsewhere leave the reasoning items with encrypted_content out of input, and send the rest.',
};

/** Said of another key's as of one that never was: two keys may share the account that would take it. */
const unknownState = ({ kind, value }: HeldState): AppError =>
  new AppError({
    code: 'invalid_parameter',
    public: `${kind === 'previous_response_id' ? `previous_response_id: nothing is known under ${value.slice(0, 100)}` : 'input: nothing is known of the reasoning item with this encrypted_content'}, for this key. ${instead[kind]}`,
    param: kind === 'previous_response_id' ? kind : 'input',
  });

const goneState = (kind: StateKind): AppError =>
  new AppError({
    code: 'upstream_state_gone',
    public: `The account at a provider that holds what ${kind} refers to cannot be asked any more, or not by this request. ${instead[kind]}`,
    param: kind === 'previous_response_id' ? kind : 'input',
  });

/** Of a request that nobody else can answer, when its account does not. */
export function outOfReach(kind: StateKind, cause: AppError): AppError {
  // What is wrong with the request is so wherever it goes.
  if (cause.status < 500 && cause.status !== 429) return cause;
  return new AppError({
    code: 'upstream_state_gone',
    public: `The account at a provider that holds what ${kind} refers to does not answer now: ${cause.message} Try again later. ${instead[kind]}`,
    param: kind === 'previous_response_id' ? kind : 'input',
    cause,
    retryable: cause.retryable,
    ...(cause.internal === undefined ? {} : { internal: cause.internal }),
    ...(cause.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: cause.retryAfterSeconds }),
  });
}
