/** The gateway's face: /v1. */
import { Hono } from 'hono';
import { AppError, asAppError } from '../base/errors.ts';
import { chatErrors } from '../protocols/chat-completions/errors.ts';
import { messagesErrors } from '../protocols/messages/errors.ts';
import type { ErrorWriter } from '../protocols/translator.ts';
import { errorAnswer, jsonAnswer } from './answer.ts';
import type { Asked, Endpoint } from './endpoint.ts';
import { chatCompletions } from './endpoints/chat-completions.ts';
import { countTokens, countTokensPath } from './endpoints/count-tokens.ts';
import { embeddings } from './endpoints/embeddings.ts';
import { messages } from './endpoints/messages.ts';
import { listModels, showModel } from './endpoints/models.ts';
import { native } from './endpoints/native.ts';
import { rerank } from './endpoints/rerank.ts';
import { responses } from './endpoints/responses.ts';
import { speech } from './endpoints/speech.ts';
import { transcriptions } from './endpoints/transcriptions.ts';
import { Exchange } from './exchange.ts';
import { relay } from './relay.ts';
import type { GatewayServices } from './services.ts';
import { hintFor } from './unknown-address.ts';

export { chooseModel } from './auto-model.ts';
export { GatewayMetrics } from './metrics.ts';
export type { GatewayServices } from './services.ts';
export { Settlement, type WriteBatch } from './settlement.ts';

interface Mounted {
  readonly paths: readonly string[];
  readonly errors: ErrorWriter;
  answer(http: Request, services: GatewayServices): Promise<Response>;
}

const mount = <Ask extends Asked>(endpoint: Endpoint<Ask>, ...otherPaths: string[]): Mounted => ({
  paths: [endpoint.path, ...otherPaths],
  errors: endpoint.errors,
  answer: (http, services) => relay({ http, endpoint, services }),
});

const mounted: readonly Mounted[] = [
  mount(chatCompletions),
  mount(messages),
  mount(responses),
  mount(native, '/v1/codex/responses'),
  mount(embeddings),
  mount(rerank),
  mount(transcriptions),
  mount(speech),
  { paths: [countTokensPath], errors: messages.errors, answer: countTokens },
];
const errorsByPath = new Map(mounted.flatMap(({ paths, errors }) => paths.map((path) => [path, errors])));
const modelsPath = '/v1/models';
const knownPaths = [...errorsByPath.keys(), modelsPath];

export function createGateway(services: GatewayServices): Hono {
  const app = new Hono();
  for (const { paths, answer } of mounted) {
    for (const path of paths) {
      app.post(path, (context) => answer(context.req.raw, services));
      app.all(path, (context) => refuseMethod(context.req.raw, services, ['POST']));
    }
  }
  app.get(modelsPath, (context) =>
    answerRead(context.req.raw, services, () => listModels(context.req.raw, services)),
  );
  app.get(`${modelsPath}/:id{.+}`, (context) =>
    answerRead(context.req.raw, services, () =>
      showModel(context.req.raw, context.req.param('id'), services),
    ),
  );
  app.all(modelsPath, (context) => refuseMethod(context.req.raw, services, ['GET']));
  app.all(`${modelsPath}/:id{.+}`, (context) => refuseMethod(context.req.raw, services, ['GET']));
  app.all('/v1/*', (context) => refuseUnknown(context.req.raw, services));
  return app;
}

/** Of the protocol that the client seems to speak, where no endpoint says it. */
function errorsFor(http: Request): ErrorWriter {
  const ofPath = errorsByPath.get(new URL(http.url).pathname);
  return ofPath ?? (http.headers.has('anthropic-version') ? messagesErrors : chatErrors);
}

/** Requests that read and cost nothing. */
async function answerRead(
  http: Request,
  services: GatewayServices,
  read: () => Promise<object>,
): Promise<Response> {
  const exchange = new Exchange(modelsPath, services);
  try {
    const response = jsonAnswer(exchange, JSON.stringify(await read()));
    exchange.endRead(200);
    return response;
  } catch (thrown) {
    const error = asAppError(thrown);
    const response = errorAnswer(exchange, error, errorsFor(http));
    exchange.end({ status: error.status, outcome: 'refused', errorCode: error.code });
    return response;
  }
}

function refuseMethod(http: Request, services: GatewayServices, allowed: readonly string[]): Response {
  const response = refuseWith(
    new AppError({
      code: 'method_not_allowed',
      public: `${http.method} is not possible here; use ${allowed.join(' or ')}.`,
    }),
    services,
    errorsFor(http),
  );
  response.headers.set('allow', allowed.join(', '));
  return response;
}

/** Answers a request to an address that is none, in the form that its client would expect of one. */
export function refuseUnknown(http: Request, services: GatewayServices): Response {
  const { pathname } = new URL(http.url);
  const sentence = `There is nothing at ${pathname.slice(0, 200)}.${hintFor(pathname, knownPaths)}`;
  return refuseWith(new AppError({ code: 'not_found', public: sentence }), services, errorsFor(http));
}

/** Answers a request that reaches no endpoint, in the form that its client would expect of one. */
export function refuseRequest(error: AppError, http: Request, services: GatewayServices): Response {
  return refuseWith(error, services, errorsFor(http));
}

/** Counted and logged like every refusal. */
function refuseWith(error: AppError, services: GatewayServices, errors: ErrorWriter): Response {
  const exchange = new Exchange('unknown', services);
  const response = errorAnswer(exchange, error, errors);
  exchange.end({ status: error.status, outcome: 'refused', errorCode: error.code });
  return response;
}
