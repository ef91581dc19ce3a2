/** Reranking, as Cohere, Jina and Voyage offer it: told apart by their path, and by their models. */
import type { Generation } from '../../answer.ts';
import { isObject, type JsonObject, readList, readNumber, readText } from '../../json.ts';
import { type Reply, wholeReply } from '../../reply.ts';
import type { Call, Protocol, ProtocolRequest } from '../protocol.ts';
import { Refusal, readingOf } from '../refusal.ts';
import { unknownField } from '../strict-fields.ts';
import { hostFor, type RerankHost } from './hosts.ts';
import { scoresOf, wordsOf } from './score.ts';

interface RerankRequest {
  readonly host: RerankHost;
  readonly model: string;
  readonly query: string;
  readonly documents: readonly string[];
  readonly limit: number | undefined;
  readonly returnsDocuments: boolean;
}

const mostDocuments = 1000;

export const rerank: Protocol = {
  name: 'rerank',
  serves: (method, path) => method === 'POST' && path.endsWith('/rerank'),
  read: (request) => readingOf(() => callOf(readRerank(request))),
  // Both fields that hosts use: which host it was is not known any more where problems are written.
  writeProblem: ({ message }) => JSON.stringify({ message, detail: message }),
};

function callOf(request: RerankRequest): Call {
  return {
    model: request.model,
    stream: false,
    planKey: undefined,
    generate: (generation, number) => answer(request, generation, number),
  };
}

function readRerank({ path, body }: ProtocolRequest): RerankRequest {
  const model = readText(body, 'model') ?? '';
  const host = hostFor(path, model);
  const refuse = (message: string): Refusal =>
    new Refusal({ status: host.refusedStatus, message, type: 'invalid_request_error', code: null });
  if (!isObject(body)) throw refuse('The body is not a JSON object.');
  const stranger = unknownField(body, host.knownFields);
  if (stranger !== undefined) throw refuse(`${stranger} is no field of this request.`);
  if (model === '') throw refuse('model: it is missing.');
  const query = readText(body, 'query')?.trim();
  if (!query) throw refuse('query: it is missing or empty.');
  return {
    host,
    model,
    query,
    documents: readDocuments(body, refuse),
    limit: readLimit(body, host, refuse),
    returnsDocuments: (body['return_documents'] ?? host.returnsDocuments) === true,
  };
}

function readDocuments(body: JsonObject, refuse: (message: string) => Refusal): string[] {
  const given = readList(body, 'documents');
  const documents = given.filter((document) => typeof document === 'string');
  if (documents.length !== given.length) throw refuse('documents: one of them is no text.');
  if (documents.length === 0 || documents.length > mostDocuments) {
    throw refuse(`documents: from 1 to ${mostDocuments} are taken, not ${documents.length}.`);
  }
  return documents;
}

function readLimit(
  body: JsonObject,
  host: RerankHost,
  refuse: (message: string) => Refusal,
): number | undefined {
  const limit = readNumber(body, host.limitField);
  if (limit !== undefined && (limit < 1 || !Number.isInteger(limit))) {
    throw refuse(`${host.limitField}: it takes a whole number from 1.`);
  }
  return limit;
}

function answer(request: RerankRequest, generation: Generation, number: number): Reply {
  const { host, query, documents, limit } = request;
  const counted = documents.reduce((sum, document) => sum + wordsOf(`${query} ${document}`).length, 0);
  const promptTokens = generation.promptTokens ?? counted;
  const tellsUsage = generation.usage !== 'never';
  const body = host.writeAnswer({
    number,
    model: generation.model ?? request.model,
    scores: scoresOf(query, documents).slice(0, limit),
    documents: request.returnsDocuments ? documents : undefined,
    documentCount: documents.length,
    tokens: tellsUsage ? promptTokens : undefined,
  });
  // A host that bills by the search states no tokens.
  const usage =
    tellsUsage && host.name !== 'cohere'
      ? { promptTokens, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 }
      : undefined;
  return wholeReply(200, 'application/json', { text: JSON.stringify(body), tokens: 0, usage });
}
