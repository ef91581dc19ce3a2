/**
 * POST /v1/explain: who would be asked for a request now, who would not and why; nobody is asked, and nothing is charged.
 * The query names the endpoint whose body it takes; chat completions where it names none.
 */
import { AppError } from '../../base/errors.ts';
import { chatErrors } from '../../protocols/chat-completions/errors.ts';
import { describeRoute, filteredOf } from '../decision.ts';
import {
  type Asked,
  type FreeEndpoint,
  inferenceScopes,
  type PaidEndpoint,
  type Question,
  type Reading,
} from '../endpoint.ts';
import { openRoute, planRequest } from '../plans.ts';
import { takePreferences } from '../preferences.ts';
import type { GatewayServices } from '../services.ts';
import { readGivenSession } from '../session.ts';
import { bindToState } from '../upstream-state.ts';
import { chatCompletions } from './chat-completions.ts';
import { embeddings } from './embeddings.ts';
import { generateContent, streamGenerateContent } from './gemini.ts';
import { messages } from './messages.ts';
import { native } from './native.ts';
import { rerank } from './rerank.ts';
import { responses } from './responses.ts';
import { speech } from './speech.ts';
import { transcriptions, translations } from './transcriptions.ts';

interface ExplainAsk extends Asked {
  /** What would become of it. */
  explain(question: Omit<Question<ExplainAsk, null>, 'request' | 'subject'>): Promise<object>;
}

interface Explained {
  readonly paths: readonly string[];
  read(reading: Reading, services: GatewayServices): Promise<ExplainAsk>;
}

function explained<Ask extends Asked>(endpoint: PaidEndpoint<Ask>): Explained {
  return {
    paths: [endpoint.path, ...(endpoint.otherPaths ?? [])],
    async read(reading, services) {
      endpoint.checkHeaders?.(reading.http.headers);
      const ask = await endpoint.readRequest(reading, services);
      return {
        ...{ model: ask.model, stream: ask.stream },
        ...(ask.json === undefined ? {} : { json: ask.json }),
        explain: (question) => explainRequest(endpoint, ask, question),
      };
    },
  };
}

async function explainRequest<Ask extends Asked>(
  endpoint: PaidEndpoint<Ask>,
  ask: Ask,
  { caller, http, facts, services }: Omit<Question<ExplainAsk, null>, 'request' | 'subject'>,
): Promise<object> {
  facts.session = readGivenSession(http.headers, ask.json);
  const wanted = takePreferences(ask, {
    ...{ caller, atMs: facts.arrivedAtMs },
    takesAll: endpoint.takesAll,
  });
  const { request, terms } = wanted;
  const planned = planRequest(endpoint, wanted, { caller, facts, services });
  const plans = await bindToState(endpoint, planned, { caller, facts, services });
  await openRoute(plans, { request, caller, terms, http, facts, services, isDry: true });
  const { canServe } = endpoint;
  const filtered = filteredOf({ planned, bound: plans, terms, canServe });
  const models = filtered.map((told) => ({
    model: told.model.publicId,
    lacks: endpoint.lacks?.(request, told.model) ?? [],
    filtered: told.filtered,
  }));
  const [{ model }] = plans;
  const first = models.find((told) => told.model === model.publicId);
  return {
    model: model.publicId,
    endpoint: endpoint.name ?? endpoint.path,
    autorouted: facts.autoroutedModel !== undefined,
    ...describeRoute(facts),
    filtered: first?.filtered ?? [],
    models,
  };
}

const gemini = [
  { explained: explained(generateContent), method: 'generateContent' },
  { explained: explained(streamGenerateContent), method: 'streamGenerateContent' },
] as const;

/** Those that have their model in the path are found by how it ends. */
const literal: readonly Explained[] = [
  ...[explained(chatCompletions), explained(messages), explained(responses), explained(native)],
  ...[explained(embeddings), explained(rerank), explained(speech)],
  ...[explained(transcriptions), explained(translations)],
];

export const explain: FreeEndpoint<ExplainAsk, null> = {
  kind: 'free',
  method: 'POST',
  path: '/v1/explain',
  scopes: inferenceScopes,
  isLimited: true,
  errors: chatErrors,
  // What the explained endpoint knows of its providers is asked for there.
  takesAll: () => () => true,
  readRequest(reading, services) {
    const named = new URL(reading.http.url).searchParams.get('endpoint') ?? chatCompletions.path;
    const found = literal.find(({ paths }) => paths.includes(named));
    if (found !== undefined) return found.read(reading, services);
    const [, model = '', method = ''] = /^\/v1(?:beta)?\/models\/(.{1,300}):(\w{1,40})$/.exec(named) ?? [];
    const called = gemini.find((each) => each.method === method);
    if (called === undefined) throw unknownEndpoint(named);
    return called.explained.read({ ...reading, parameters: { model: `${model}:${method}` } }, services);
  },
  findSubject: () => null,
  answer: async ({ request, ...question }) => ({ body: JSON.stringify(await request.explain(question)) }),
};

function unknownEndpoint(named: string): AppError {
  const known = literal.flatMap(({ paths }) => paths.slice(0, 1)).join(', ');
  return new AppError({
    code: 'invalid_parameter',
    public: `endpoint: ${named.slice(0, 100)} is none that asks providers. Name one of ${known}, or /v1beta/models/MODEL:generateContent.`,
    param: 'endpoint',
  });
}
