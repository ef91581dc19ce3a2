/** What a provider adapter is: how to address one kind of upstream, and which protocols it speaks for which work. */
import type { Clock } from '../base/clock.ts';
import type { HttpAnswer } from '../base/http-answer.ts';
import type { EmbeddingsUpstream } from '../protocols/embeddings/embeddings.ts';
import type { CountTokensUpstream, PassingProtocol, UpstreamProtocol } from '../protocols/protocol.ts';
import type { RerankUpstream } from '../protocols/rerank/rerank.ts';
import type { SpeechUpstream } from '../protocols/speech/speech.ts';
import type { TranscriptionUpstream } from '../protocols/transcription/transcription.ts';
import type { ClosedMembers } from './closed-members.ts';

/** The part of a provider that an adapter needs; the catalogue's rows fit it. */
export interface ProviderTarget {
  readonly name: string;
  /** Null where the adapter's own default is meant. */
  readonly baseUrl: string | null;
  readonly region: string | null;
  readonly secret: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** One call that is to be made. */
export interface UpstreamTask {
  readonly target: ProviderTarget;
  /** The model's id at the upstream. */
  readonly model: string;
  readonly stream: boolean;
  /** For upstreams that want requests signed; empty where it is no JSON. */
  readonly body: string;
  /** Headers of the client's own that belong to the protocol, by lower-case name. */
  readonly forwarded: Readonly<Record<string, string>>;
}

export interface UpstreamAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface UpstreamRequest extends UpstreamAddress {
  readonly body: string | ReadableStream<Uint8Array>;
}

/** One kind of work that an upstream does: the protocol it is asked in, and where such requests go. */
export interface Support<Protocol> {
  readonly protocol: Protocol;
  address(task: UpstreamTask): UpstreamAddress | Promise<UpstreamAddress>;
  /** Makes server-sent events of an answer that streams in another form. @param url that was asked. */
  receive?(response: HttpAnswer, url: string): HttpAnswer;
}

/** What a provider can do; what is left out it cannot. */
export interface Supports {
  /** In order of preference; a client's own protocol goes before all. */
  readonly chat?: readonly Support<UpstreamProtocol>[];
  /** Counts the tokens of a chat request, which is written in the protocol that the counting names. */
  readonly countTokens?: Support<CountTokensUpstream>;
  readonly embeddings?: Support<EmbeddingsUpstream>;
  readonly rerank?: Support<RerankUpstream>;
  readonly transcription?: Support<TranscriptionUpstream>;
  /** Into English. */
  readonly translation?: Support<TranscriptionUpstream>;
  readonly speech?: Support<SpeechUpstream>;
  /** Takes requests of the native endpoint as they came. */
  readonly native?: Support<PassingProtocol>;
}

/** A call that shows whether a row's address and credential are good, and costs nothing or next to nothing. */
export interface Probe extends UpstreamAddress {
  readonly method: 'GET' | 'POST';
  /** JSON. */
  readonly body?: string;
  /** Completes "asked for …". */
  readonly what: string;
  readonly isFree: boolean;
}

/** A model that the catalogue has at the provider: one is asked where nothing is free. */
export interface ProbedModel {
  readonly upstreamId: string;
  readonly type: string;
}

export interface ProviderAdapter {
  readonly kind: string;
  /** Where the kind lives, unless a row says otherwise; null when every row must. */
  readonly defaultBaseUrl: string | null;
  /** Whether a row of this kind must have a credential to be usable. */
  readonly needsCredential: boolean;
  /** @throws Error with a sentence for the operator when the row's settings cannot be. */
  checkSettings?(settings: Readonly<Record<string, unknown>>): void;
  /** @throws Error with a sentence when it is not told where the row's requests go; it begins with the field's name. */
  checkPlace?(place: Omit<ProviderTarget, 'name'>): void;
  /** @throws Error with a sentence for the operator, without the secret, when it is of no form that the kind takes. */
  checkCredential?(secret: string): void;
  /**
   * For one row of the catalogue; asked once for each version of it.
   * @param baseUrl the row's own; null where the kind's default is meant.
   */
  supports(settings: Readonly<Record<string, unknown>>, baseUrl?: string | null): Supports;
  /**
   * What may be asked to see whether a row works, the best first: a later one where a host does not have the one before.
   * None where each request is charged to somebody, or no model is there to ask.
   */
  probes?(target: ProviderTarget, model: ProbedModel | null): readonly Probe[] | Promise<readonly Probe[]>;
  /** What its hosts obey and a caller must not send to them. */
  readonly closedMembers?: ClosedMembers;
  /** For kinds whose credentials expire and are renewed. */
  readonly oauth?: OAuthRenewal;
  /** Answers inside the process instead of over the network. */
  readonly answer?: (request: UpstreamRequest, signal: AbortSignal) => Promise<Response>;
}

/** What a renewal takes: requests leave by a way that looks at where they go. */
export interface RenewalMeans {
  readonly clock: Clock;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

export interface OAuthRenewal {
  /** When the access token stops working; null when nobody knows. */
  expiresAtMs(secret: string): number | null;
  /**
   * @returns the credential's new secret, which replaces the old one: a refresh token often works once.
   * @throws when the service refuses or cannot be reached.
   */
  renew(secret: string, settings: Readonly<Record<string, unknown>>, means: RenewalMeans): Promise<string>;
  /** Of what `renew` threw: whether the service will never renew it, so that somebody must sign in anew. */
  isFinal(thrown: unknown): boolean;
}

/** Where the paths of a kind begin. */
export interface BaseUrlRule {
  /** Null where every row must say. */
  readonly defaultBaseUrl: string | null;
  /** Adds what people leave out of an address, which comes without a slash at its end. */
  readonly complete?: (written: string) => string;
}

/** The target's base URL or the kind's own, without a slash at its end. */
export function baseUrlOf({ baseUrl }: Pick<ProviderTarget, 'baseUrl'>, rule: BaseUrlRule): string {
  if (baseUrl === null) return rule.defaultBaseUrl ?? '';
  const written = baseUrl.replace(/\/+$/, '');
  return rule.complete === undefined ? written : rule.complete(written);
}

const hostAlone = /^https?:\/\/[^/]*$/;

/** A host alone is taken to have the kind's own path; an address with a path says all. */
export const withPath =
  (path: string) =>
  (written: string): string =>
    hostAlone.test(written) ? written + path : written;

/** As the vendor's own clients take an address, which add the version to it: it may stand there already. */
export const withVersion =
  (version: string) =>
  (written: string): string =>
    /\/v\d+[a-z0-9]*$/.test(written) ? written : `${written}/${version}`;

/** The path of an address: `/v1`, or nothing. */
export const pathOfUrl = (url: string): string => new URL(url).pathname.replace(/\/+$/, '');

/** A task without work, for an address alone. */
export const probeTask = (target: ProviderTarget, model = ''): UpstreamTask => ({
  target,
  model,
  stream: false,
  body: '',
  forwarded: {},
});

export const probeList = (address: UpstreamAddress, what = 'the list of models, which is free'): Probe => ({
  ...address,
  method: 'GET',
  what,
  isFree: true,
});

export const probeModel = (address: UpstreamAddress, model: ProbedModel, body: object): Probe => ({
  ...address,
  method: 'POST',
  body: JSON.stringify(body),
  what: `the smallest answer of ${model.upstreamId}, which costs a token or two`,
  isFree: false,
});

/** The smallest request for vectors or for a rank, of the model's type; nothing for any other. */
export function probeVectors(
  addresses: { readonly embeddings: UpstreamAddress; readonly rerank: UpstreamAddress },
  model: ProbedModel | null,
): readonly Probe[] {
  if (model?.type === 'embedding') {
    return [probeModel(addresses.embeddings, model, { model: model.upstreamId, input: ['Hi'] })];
  }
  if (model?.type !== 'rerank') return [];
  const body = { model: model.upstreamId, query: 'Hi', documents: ['Hi'] };
  return [probeModel(addresses.rerank, model, body)];
}

/** Headers of every JSON request. */
export const jsonHeaders: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'user-agent': 'sluice',
};

/** @throws Error that names the first setting which nobody reads. */
export function refuseOthers(settings: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const other = Object.keys(settings).find((name) => !known.includes(name));
  if (other === undefined) return;
  throw new Error(`${other}: is not a setting of this kind, which has ${known.join(', ')}`);
}
