/** The gateway's face: every endpoint under its address, and what is told where there is none. */
import { type Context, Hono } from 'hono';
import type { AppError } from '../base/errors.ts';
import { chatErrors } from '../protocols/chat-completions/errors.ts';
import { googleErrors } from '../protocols/google/errors.ts';
import { messagesErrors } from '../protocols/messages/errors.ts';
import type { ErrorWriter } from '../protocols/translator.ts';
import { describeGateway, descriptionPath } from './describe.ts';
import type { Arrival, Asked, FreeEndpoint, PaidEndpoint } from './endpoint.ts';
import { chatCompletions } from './endpoints/chat-completions.ts';
import { embeddings } from './endpoints/embeddings.ts';
import { explain } from './endpoints/explain.ts';
import { countGeminiTokens, generateContent, streamGenerateContent } from './endpoints/gemini.ts';
import { geminiModels, isGeminiClient } from './endpoints/gemini-models.ts';
import { generation } from './endpoints/generation.ts';
import { keptResponse, keptResponseInput, keptResponseRemoval } from './endpoints/kept-responses.ts';
import { keyFacts } from './endpoints/key-facts.ts';
import { countTokens, messages } from './endpoints/messages.ts';
import { models } from './endpoints/models.ts';
import { native } from './endpoints/native.ts';
import { rerank } from './endpoints/rerank.ts';
import { responses } from './endpoints/responses.ts';
import { speech } from './endpoints/speech.ts';
import { transcriptions, translations } from './endpoints/transcriptions.ts';
import { serve } from './pipeline.ts';
import { refuseAddress, refuseMethod, refuseUnserved } from './refusals.ts';
import type { GatewayServices } from './services.ts';

export { Demonstration } from './demonstration.ts';
export { describeGateway } from './describe.ts';
export { GenerationRates } from './hidden-reasoning.ts';
export { type KeptAnswers, MemoryAnswers } from './kept-answers.ts';
export { KeptResponses } from './kept-responses.ts';
export { KeyRecords } from './key-records.ts';
export { GatewayMetrics } from './metrics.ts';
export { chooseModel } from './plans.ts';
export { RedisAnswers } from './redis-answers.ts';
export { interruptRelays } from './relay.ts';
export type { GatewayServices } from './services.ts';
export { Settlement } from './settlement.ts';
export { Trial } from './trial.ts';
export { Unanswered } from './unanswered.ts';
export { type WriteBatch, writeBisecting } from './write-bisecting.ts';

interface Mounted {
  readonly isPaid: boolean;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly paths: readonly string[];
  errorsFor(headers: Headers): ErrorWriter;
  answer(arrival: Arrival, services: GatewayServices): Promise<Response>;
}

const mount = <Ask extends Asked, Subject>(
  endpoint: PaidEndpoint<Ask> | FreeEndpoint<Ask, Subject>,
): Mounted => ({
  isPaid: endpoint.kind === 'paid',
  method: endpoint.method,
  paths: [endpoint.path, ...(endpoint.otherPaths ?? [])],
  errorsFor: (headers) => endpoint.errorsFor?.(headers) ?? endpoint.errors,
  answer: (arrival, services) => {
    const answering = serve(endpoint, arrival, services);
    if (endpoint.reshape === undefined) return answering;
    return answering.then((response) => endpoint.reshape?.(response, arrival.http) ?? response);
  },
});

const mounted: readonly Mounted[] = [
  mount(chatCompletions),
  mount(messages),
  mount(responses),
  mount(keptResponse),
  mount(keptResponseRemoval),
  mount(keptResponseInput),
  mount(native),
  mount(embeddings),
  mount(rerank),
  mount(transcriptions),
  mount(translations),
  mount(speech),
  mount(countTokens),
  mount(explain),
  mount(generateContent),
  mount(streamGenerateContent),
  mount(countGeminiTokens),
  mount(geminiModels),
  mount(models),
  mount(generation),
  mount(keyFacts),
];

/** As the router writes them. @internal The tests of the description and of what is paid are held to them. */
export const gatewayAddresses = mounted.flatMap(({ method, paths, isPaid }) =>
  paths.map((path) => ({ method, path, isPaid })),
);

/** Who serves each address, by method. */
const byPath = new Map<string, Map<string, Mounted>>();
for (const each of mounted) {
  for (const path of each.paths) {
    const methods = byPath.get(path) ?? new Map<string, Mounted>();
    byPath.set(path, methods.set(each.method, each));
  }
}
const literalPaths = [...byPath.keys()].filter((path) => !path.includes(':'));
const noParameters = {};
const described = { 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff' };

export function createGateway(services: GatewayServices): Hono {
  const app = new Hono();
  for (const [path, methods] of byPath) {
    for (const [method, { answer }] of methods) {
      app.on(method, path, (context) => answer(arrivalOf(context), services));
    }
    const allowed = [...methods.keys()];
    const [first] = methods.values();
    app.all(path, ({ req: { raw } }) => {
      const errors = first?.errorsFor(raw.headers) ?? errorsFor(raw);
      return refuseMethod(raw, allowed, { errors, services });
    });
  }
  app.get(descriptionPath, (context) => context.json(describeGateway(), 200, described));
  app.all('/v1/*', (context) => refuseUnknown(context.req.raw, services));
  app.all('/v1beta/*', (context) => refuseUnknown(context.req.raw, services));
  return app;
}

/** What answers POST requests to addresses without open places, so that they need no router. */
export function createPosts(
  services: GatewayServices,
): ReadonlyMap<string, (http: Request) => Promise<Response>> {
  const posts = new Map<string, (http: Request) => Promise<Response>>();
  for (const path of literalPaths) {
    const post = byPath.get(path)?.get('POST');
    if (post === undefined) continue;
    posts.set(path, (http) => post.answer({ http, parameters: noParameters }, services));
  }
  return posts;
}

function arrivalOf({ req }: Context): Arrival {
  return { http: req.raw, parameters: req.param() };
}

/** Of the protocol that the client seems to speak, where no endpoint says it. */
function errorsFor({ url, headers }: Request): ErrorWriter {
  const { pathname } = new URL(url);
  const [ofPath] = byPath.get(pathname)?.values() ?? [];
  if (ofPath !== undefined) return ofPath.errorsFor(headers);
  if (pathname.startsWith('/v1beta/') || isGeminiClient(headers)) return googleErrors;
  return headers.has('anthropic-version') ? messagesErrors : chatErrors;
}

/** Answers a request to an address that is none, in the form that its client would expect of one. */
export function refuseUnknown(http: Request, services: GatewayServices): Response {
  return refuseAddress(http, literalPaths, { errors: errorsFor(http), services });
}

/** Answers a request that reaches no endpoint, in the form that its client would expect of one. */
export function refuseRequest(error: AppError, http: Request, services: GatewayServices): Response {
  return refuseUnserved(error, { errors: errorsFor(http), services });
}
