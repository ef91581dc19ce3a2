/** Asks one provider to answer a conversation: all pairs of protocols meet here. And for the rest of an answer that broke off. */
import type { HeldBytes } from '../base/byte-budget.ts';
import { AppError } from '../base/errors.ts';
import { asObject, tryParseJson } from '../protocols/json/fields.ts';
import type { ClientProtocol, UpstreamProtocol } from '../protocols/protocol.ts';
import { readBounds, withOutputCap } from '../protocols/request-bounds.ts';
import { canBeContinued, continuedRequest } from '../protocols/translate/rescue/continued-request.ts';
import {
  openContinued,
  openRescuable,
  type RescuableStream,
} from '../protocols/translate/rescue/rescuable-stream.ts';
import type { ContinuedBy } from '../protocols/translate/rescue/seam.ts';
import { askedTier, leastExtras } from '../protocols/translate/sent-extras.ts';
import { translate } from '../protocols/translate/translate.ts';
import type { InferenceRequest, StreamTranslator, Translator } from '../protocols/translator.ts';
import {
  type Prefill,
  prefillOf,
  type Support,
  type Supports,
  withPrefillMarks,
} from '../providers/index.ts';
import { askUpstream, openStream, readAnswerText } from '../upstream/index.ts';
import type { Asking, PaidEndpoint, RestOfStream, RestTerms, Served, StreamAnswered } from './endpoint.ts';
import { ChatEstimate } from './estimate.ts';
import { HiddenReasoning } from './hidden-reasoning.ts';
import { requireOpenMembers } from './request-body.ts';

export interface ClientSide {
  readonly client: ClientProtocol;
  readonly endpoint: PaidEndpoint<InferenceRequest>;
  ownHeaders(headers: Headers): Readonly<Record<string, string>>;
  /** What goes before a provider is asked, where requests can refer to what was said before. */
  readonly prepare:
    | ((asking: Asking<InferenceRequest>, isConverted: boolean) => InferenceRequest)
    | undefined;
}

/** @throws what is wrong with the request before its provider is asked. */
export function askChat(asking: Asking<InferenceRequest>, side: ClientSide): Promise<Served> {
  const meeting = meet(asking, side);
  const ask = meeting.request.stream ? askToStream : askWhole;
  return ask(asking, meeting, side);
}

async function askToStream(
  asking: Asking<InferenceRequest>,
  meeting: Meeting,
  side: ClientSide,
): Promise<Served> {
  const { client } = side;
  const { request, translator, support } = meeting;
  const { rescueRoom } = asking;
  const rescuable =
    rescueRoom === null ? null : openToRescue({ client, upstream: support.protocol }, request, rescueRoom);
  const opened = await askStreamed(asking, side, {
    ...meeting,
    stream: rescuable?.translator ?? translator.openStream(request),
    isStrict: rescuable !== null,
  });
  if (rescuable === null) return opened;
  return { ...opened, rest: restOf({ asked: asking.request, whole: request }, rescuable, side) };
}

interface Meeting {
  readonly support: Support<UpstreamProtocol>;
  readonly translator: Translator;
  readonly request: InferenceRequest;
  /** What goes on from a prefill is marked as its host wants it. */
  readonly prefill?: Prefill | null;
}

function meet(asking: Asking<InferenceRequest>, { client, prepare }: ClientSide): Meeting {
  const { call } = asking;
  const { supports, deployment } = call.candidate;
  const support = pickSupport(supports, client, { request: asking.request, model: deployment.upstreamId });
  const isOwnProtocol = client.name === support.protocol.name;
  const request = prepare?.(asking, !isOwnProtocol) ?? asking.request;
  // A conversion writes what it has read and nothing else.
  if (isOwnProtocol) requireOpenMembers(request.json, call);
  return { support, translator: translatorBetween(client, support.protocol), request };
}

/** What was sent, and what it may come to cost. */
function write(
  { call, facts, model: asked, services }: Asking<InferenceRequest>,
  { client }: ClientSide,
  { support, translator, request, prefill = null }: Meeting,
): { body: string; estimate: ChatEstimate } {
  const model = call.candidate.deployment.upstreamId;
  const isOwnProtocol = client.name === support.protocol.name;
  const written = translator.writeRequest(request, model, facts);
  const body = prefill === null ? written : withPrefillMarks(written, prefill);
  const sent = { upstream: support.protocol.name, model, body, json: isOwnProtocol ? request.json : null };
  const estimate = new ChatEstimate(request, {
    model,
    readTurn: client.readRequest,
    least: leastExtras(sent),
    tier: askedTier(sent),
    hidden: new HiddenReasoning(
      {
        request,
        client: client.name,
        upstream: sent.upstream,
        model: asked,
        // Written again where it is needed: few answers are cut, and a body can be large.
        sentJson: () =>
          sent.json ?? asObject(tryParseJson(translator.writeRequest(request, model, facts))) ?? {},
      },
      { call, rates: services.rates },
    ),
  });
  return { body, estimate };
}

async function askWhole(
  asking: Asking<InferenceRequest>,
  meeting: Meeting,
  side: ClientSide,
): Promise<Served> {
  const { call } = asking;
  const { support, translator, request } = meeting;
  const { body, estimate } = write(asking, side, meeting);
  asking.owes(() => estimate.of());
  const forwarded = forwardedTo(support, asking, side);
  const response = await askUpstream(call, { support, stream: false, body, forwarded });
  const text = readAnswerText(response, call);
  const answer = translator.readAnswer(text instanceof Promise ? await text : text, request);
  return {
    kind: 'whole',
    body: answer.body,
    contentType: 'application/json',
    usage: estimate.ofAnswer(answer),
  };
}

async function askStreamed(
  asking: Asking<InferenceRequest>,
  side: ClientSide,
  meeting: Meeting & { readonly stream: StreamTranslator; readonly isStrict: boolean },
): Promise<StreamAnswered> {
  const { call } = asking;
  const { support, request, translator, stream, isStrict } = meeting;
  const { body, estimate } = write(asking, side, meeting);
  asking.owes(() => estimate.of(stream));
  const forwarded = forwardedTo(support, asking, side);
  const response = await askUpstream(call, { support, stream: true, body, forwarded });
  const { readComplaint } = translator;
  const opening = { call, translator: stream, askedLength: request.text.length, isStrict, readComplaint };
  return { kind: 'stream', stream: await openStream(response, opening), estimate };
}

const noHeaders: Readonly<Record<string, string>> = {};

const forwardedTo = (
  { protocol }: Support<UpstreamProtocol>,
  { headers }: Asking<InferenceRequest>,
  { client, ownHeaders }: ClientSide,
): Readonly<Record<string, string>> => (client.name === protocol.name ? ownHeaders(headers) : noHeaders);

/** Null for what nobody could go on with. */
function openToRescue(
  pair: { readonly client: ClientProtocol; readonly upstream: UpstreamProtocol },
  request: InferenceRequest,
  room: HeldBytes,
): RescuableStream | null {
  if (!canBeContinued(pair.client, request)) return null;
  const { keep } = request;
  const takeRoom = (bytes: number) => room.tryTake(bytes);
  if (keep === undefined) return openRescuable(pair, request, takeRoom);
  // Its vendor knows nothing of an answer that somebody else went on with.
  const keeping = (response: string) => keep(response, opened.shown.isContinued);
  const opened: RescuableStream = openRescuable(pair, { ...request, keep: keeping }, takeRoom);
  return opened;
}

interface Broken {
  readonly asked: InferenceRequest;
  /** With what it refers to, as it was sent. */
  readonly whole: InferenceRequest;
}

function restOf({ asked, whole }: Broken, { shown }: RescuableStream, side: ClientSide): RestOfStream {
  const { client, endpoint } = side;
  const hasText = () => shown.text.trim() !== '';
  const capped = (request: InferenceRequest, capTokens: number | null) =>
    capTokens === null ? request : (withOutputCap(client.name, request, capTokens) ?? request);
  return {
    endpoint,
    get isContinuable() {
      // Who has seen thoughts and no word yet would see others.
      return shown.isContinuable && (hasText() || !shown.hasReasoning);
    },
    tokensLeft(usedTokens) {
      const { outputTokens } = readBounds(client.name, whole.json);
      return outputTokens === null ? null : outputTokens - usedTokens;
    },
    request(capTokens) {
      const by = hasText() ? 'repetition' : 'beginning';
      return capped(continuedRequest(client.name, whole, { shown: shown.text, by }), capTokens);
    },
    async ask(terms, { after, usageBefore, capTokens }: RestTerms) {
      const asking = { ...terms, request: asked };
      const { call } = asking;
      const { request: sent, support, translator } = meet(asking, side);
      const { provider, upstreamId: model } = call.candidate.deployment;
      const prefill = hasText() ? prefillOf({ ...provider, protocol: support.protocol.name, model }) : null;
      const by: ContinuedBy = prefill !== null ? 'prefill' : hasText() ? 'repetition' : 'beginning';
      // Thoughts that were shown would be thought again, and lead elsewhere.
      if (by === 'repetition' && shown.hasReasoning) throw takesNoPrefill();
      const request = capped(continuedRequest(client.name, sent, { shown: shown.text, by }), capTokens);
      const note = { how: by, provider: provider.name, after };
      const pair = { client, upstream: support.protocol };
      const stream = openContinued({ pair, request, shown, note, usageBefore });
      return await askStreamed(asking, side, {
        ...{ support, translator, request, stream, prefill },
        isStrict: true,
      });
    },
  };
}

const takesNoPrefill = () =>
  new AppError({
    code: 'no_provider',
    public: 'This model cannot go on with an answer whose thoughts were shown.',
  });

interface Asked {
  readonly request: InferenceRequest;
  /** As its provider knows it. */
  readonly model: string;
}

/**
 * The client's own protocol where the provider speaks it, since nothing is lost on that way, else the provider's
 * favourite; unless the model takes what is asked for in another one only.
 */
function pickSupport(
  { chat = [] }: Supports,
  client: ClientProtocol,
  { request, model }: Asked,
): Support<UpstreamProtocol> {
  const own = chat.find(({ protocol }) => protocol.name === client.name);
  const usual = own ?? chat[0];
  const isRefused = usual?.protocol.refuses?.(request, model, own === undefined) === true;
  const picked = isRefused ? (chat.find((other) => other !== usual) ?? usual) : usual;
  if (picked === undefined) throw new Error('a provider without chat was taken for one');
  return picked;
}

/** One translator for each pair of protocols that has met; they hold no state. */
const translators = new Map<ClientProtocol, WeakMap<UpstreamProtocol, Translator>>();

export function translatorBetween(client: ClientProtocol, upstream: UpstreamProtocol): Translator {
  const known = translators.get(client)?.get(upstream);
  if (known !== undefined) return known;
  const ofClient = translators.get(client) ?? new WeakMap<UpstreamProtocol, Translator>();
  const translator = translate({ client, upstream });
  translators.set(client, ofClient.set(upstream, translator));
  return translator;
}
