/** POST /v1/rerank, which is /v2/rerank for Cohere's newer clients. */
import { noUsage, type Usage } from '../../base/token-usage.ts';
import { chatErrors } from '../../protocols/chat-completions/errors.ts';
import { asTokenCount, tryParseJson } from '../../protocols/json/fields.ts';
import { readRerankRequest } from '../../protocols/rerank/request.ts';
import {
  type BilledChunks,
  mergeScores,
  type RerankAnswer,
  type RerankRequest,
  writeRerank,
} from '../../protocols/rerank/rerank.ts';
import { countTexts, countTextsFor } from '../../protocols/token-count/count-texts.ts';
import { guessTokens } from '../../protocols/token-count/guess-tokens.ts';
import { askUpstream, inBatches, readAnswerText } from '../../upstream/index.ts';
import {
  type Asked,
  type Asking,
  inferenceScopes,
  type PaidEndpoint,
  type RequestBound,
  type Served,
} from '../endpoint.ts';
import { type ChargedUsage, UncountedUsage } from '../estimate.ts';
import { readBody } from '../request-body.ts';

type Ask = RerankRequest & Asked & { readonly version: '1' | '2' };

/** Cohere's unit, which the others' prices are compared with: one query with up to this many documents. */
const documentsPerUnit = 100;

const secondPath = '/v2/rerank';

export const rerank: PaidEndpoint<Ask> = {
  kind: 'paid',
  method: 'POST',
  path: '/v1/rerank',
  otherPaths: [secondPath],
  scopes: inferenceScopes,
  modelType: 'rerank',
  errors: chatErrors,
  readRequest: (reading, services) =>
    readBody(reading, services, (text) => ({
      ...readRerankRequest(text),
      stream: false,
      version: new URL(reading.http.url).pathname === secondPath ? '2' : '1',
    })),
  canServe: ({ rerank: support }) => support !== undefined,
  // The query is read with each document.
  expectedTokens: ({ query, documents, text }) => guessTokens(text) + guessTokens(query) * documents.length,
  mostUsage: mostOf,
  countedUsage: async (request) => {
    const { usage } = mostOf(request);
    const tokens = Math.ceil((await countPairs(request)) * otherTokenisers);
    const rerankUnits = unitsOf(countDocuments(request, request.documents.length, usualChunks), request);
    return {
      usage: { ...usage, inputTokens: Math.min(usage.inputTokens, tokens), rerankUnits },
      answer: null,
    };
  },
  ask: rank,
};

/** As Cohere bills them, whose unit it is; hosts that do not cut documents bill no more. */
const usualChunks: BilledChunks = { tokens: 500, mostTokensPerDocument: 4096 };
/** Of one call; each call is billed by itself. */
const documentsPerCall = 1000;
/** Rerankers have vocabularies of their own, some of them small, and put marks around each pair. */
const otherTokenisers = 2;
const tokensAroundPair = 8;

/** No text has more tokens than bytes. */
function mostOf({ query, documents, text, json }: Ask): RequestBound {
  const inQuery = Buffer.byteLength(query);
  const most = asTokenCount(json['max_tokens_per_doc']) ?? usualChunks.mostTokensPerDocument;
  const chunks = documents.reduce((sum, document) => {
    return sum + Math.ceil((inQuery + Math.min(most, Buffer.byteLength(document)) + 1) / usualChunks.tokens);
  }, 0);
  const inputTokens = Buffer.byteLength(text) + documents.length * (inQuery + tokensAroundPair);
  return {
    usage: { inputTokens, outputTokens: 0, rerankUnits: unitsOf(chunks, { documents }) },
    answer: null,
  };
}

const unitsOf = (chunks: number, { documents }: Pick<Ask, 'documents'>): number =>
  Math.ceil(chunks / documentsPerUnit) + Math.ceil(documents.length / documentsPerCall) - 1;

async function rank(asking: Asking<Ask>): Promise<Served> {
  const { request, call, services } = asking;
  const { rerank: support } = call.candidate.supports;
  if (support === undefined) throw new Error('a provider without reranking was taken for one');
  const { protocol } = support;
  const progress = { done: 0, begun: 0 };
  const batching = { maxItems: protocol.maxDocuments, call, progress };
  asking.owes(
    () => countSent(request, progress.begun, asking, protocol.billedChunks),
    () =>
      progress.done === 0 ? undefined : countSent(request, progress.done, asking, protocol.billedChunks),
  );
  const answers = await inBatches(request.documents, batching, async (documents) => {
    const body = protocol.writeRequest(request, documents, call.candidate.deployment.upstreamId);
    const response = await askUpstream(call, { support, stream: false, body });
    return protocol.readAnswer(tryParseJson(await readAnswerText(response, call)), documents.length);
  });
  const scores = mergeScores(answers, protocol.maxDocuments);
  const usage = await usageOf(answers, asking);
  const body = writeRerank(request, scores, {
    id: services.ids.requestId(),
    version: request.version,
    searchUnits: usage.rerankUnits ?? 0,
    inputTokens: usage.inputTokens,
  });
  return { kind: 'whole', body, contentType: 'application/json', usage };
}

/** Counted here where any of the upstream's answers does not say. */
async function usageOf(answers: readonly RerankAnswer[], { request, prices }: Asking<Ask>): Promise<Usage> {
  const units = sum(answers.map(({ searchUnits }) => searchUnits));
  const tokens = sum(answers.map(({ inputTokens }) => inputTokens));
  const rerankUnits = units ?? Math.ceil(request.documents.length / documentsPerUnit);
  if (tokens !== null) {
    const isGuessed = units === null && Boolean(prices?.rerank_unit);
    return { ...noUsage, inputTokens: tokens, rerankUnits, estimated: isGuessed };
  }
  if (!prices?.input) return { ...noUsage, rerankUnits, estimated: units === null };
  return { ...noUsage, inputTokens: await countPairs(request), rerankUnits, estimated: true };
}

/** Of a client that left before there was an answer. */
function countSent(
  request: RerankRequest,
  sent: number,
  { prices, call }: Asking<Ask>,
  chunks: BilledChunks | undefined,
): ChargedUsage {
  const rerankUnits = Math.ceil(countDocuments(request, sent, chunks) / documentsPerUnit);
  if (!prices?.input) return { ...noUsage, rerankUnits, estimated: true };
  const { query, documents } = request;
  const { upstreamId } = call.candidate.deployment;
  const texts = documents.slice(0, sent);
  const usageOfPairs = (inDocuments: number, inQuery: number): Usage => {
    return { ...noUsage, inputTokens: inDocuments + sent * inQuery, rerankUnits, estimated: true };
  };
  return new UncountedUsage({
    count: async () =>
      usageOfPairs(await countTextsFor(upstreamId, texts), await countTextsFor(upstreamId, [query])),
    guess: () =>
      usageOfPairs(
        texts.reduce((total, text) => total + guessTokens(text), 0),
        guessTokens(query),
      ),
  });
}

/** As they are billed, by the letters of each: a long one counts as several. */
function countDocuments(
  { query, documents, json }: RerankRequest,
  sent: number,
  chunks: BilledChunks | undefined,
): number {
  if (chunks === undefined) return sent;
  const most = asTokenCount(json['max_tokens_per_doc']) ?? chunks.mostTokensPerDocument;
  const inQuery = guessTokens(query);
  return documents.slice(0, sent).reduce((total, document) => {
    const tokens = inQuery + Math.min(most, guessTokens(document));
    return total + Math.max(1, Math.ceil(tokens / chunks.tokens));
  }, 0);
}

/** A reranker reads the query with each document. */
async function countPairs({ query, documents }: RerankRequest): Promise<number> {
  return (await countTexts(documents)) + documents.length * (await countTexts([query]));
}

/** Null when one of them is not known. */
function sum(counts: readonly (number | null)[]): number | null {
  let total = 0;
  for (const count of counts) {
    if (count === null) return null;
    total += count;
  }
  return total;
}
