/** POST /v1/embeddings */
import { noUsage, type Usage } from '../../base/token-usage.ts';
import { chatErrors } from '../../protocols/chat-completions/errors.ts';
import {
  type EmbeddingInput,
  type EmbeddingsAnswer,
  type EmbeddingsRequest,
  writeEmbeddings,
} from '../../protocols/embeddings/embeddings.ts';
import { checkInputLengths, readEmbeddingsRequest } from '../../protocols/embeddings/request.ts';
import { tryParseJson } from '../../protocols/json/fields.ts';
import { countTexts } from '../../protocols/token-count/count-texts.ts';
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
import { type UncountedUsage, uncountedTexts } from '../estimate.ts';
import { readBody, requireOpenMembers } from '../request-body.ts';

/** A full batch of vectors, written as floats, is the largest answer that any endpoint has. */
const maxAnswerBytes = 160 * 1_048_576;

type Ask = EmbeddingsRequest & Asked;

export const embeddings: PaidEndpoint<Ask> = {
  kind: 'paid',
  method: 'POST',
  path: '/v1/embeddings',
  scopes: inferenceScopes,
  modelType: 'embedding',
  errors: chatErrors,
  async readRequest(reading, services) {
    const request = await readBody(reading, services, readEmbeddingsRequest);
    await checkInputLengths(request);
    return { ...request, stream: false };
  },
  canServe: ({ embeddings: support }) => support !== undefined,
  expectedTokens: ({ text }) => guessTokens(text),
  mostUsage: ({ text, inputs }) => boundOf(Buffer.byteLength(text) + inputs.length * tokensAroundInput),
  async countedUsage({ text, inputs }) {
    const tokens = idsIn(inputs) + (await countTexts(textsIn(inputs))) * otherTokenisers;
    return boundOf(Math.min(Math.ceil(tokens), Buffer.byteLength(text)) + inputs.length * tokensAroundInput);
  },
  ask: embed,
};

/** What models put at both ends of a text. */
const tokensAroundInput = 4;
/** Embedding models have vocabularies of their own, some of them small. */
const otherTokenisers = 2;

const boundOf = (inputTokens: number): RequestBound => ({
  usage: { inputTokens, outputTokens: 0 },
  answer: null,
});

async function embed(asking: Asking<Ask>): Promise<Served> {
  const { request, call } = asking;
  const { embeddings: support } = call.candidate.supports;
  if (support === undefined) throw new Error('a provider without embeddings was taken for one');
  const { protocol } = support;
  requireOpenMembers(request.json, call);
  const progress = { done: 0, begun: 0 };
  const batching = { maxItems: protocol.maxInputs, call, progress };
  const owedFor = (sent: number) =>
    countSent(request.inputs.slice(0, sent), call.candidate.deployment.upstreamId);
  asking.owes(
    () => owedFor(progress.begun),
    () => (progress.done === 0 ? undefined : owedFor(progress.done)),
  );
  const answers = await inBatches(request.inputs, batching, async (inputs) => {
    const body = protocol.writeRequest(request, inputs, call.candidate.deployment.upstreamId);
    const response = await askUpstream(call, { support, stream: false, body });
    return protocol.readAnswer(
      tryParseJson(await readAnswerText(response, call, maxAnswerBytes)),
      inputs.length,
    );
  });
  const usage = await usageOf(answers, asking);
  const body = writeEmbeddings(request, {
    vectors: answers.flatMap(({ vectors }) => vectors),
    inputTokens: usage.inputTokens,
  });
  return { kind: 'whole', body, contentType: 'application/json', usage };
}

/** Counted here where any of the upstream's answers does not say. */
async function usageOf(
  answers: readonly EmbeddingsAnswer[],
  { request: { inputs } }: Asking<Ask>,
): Promise<Usage & { readonly inputTokens: number }> {
  let told = 0;
  let isTold = true;
  for (const { inputTokens } of answers) {
    if (inputTokens === null) isTold = false;
    else told += inputTokens;
  }
  if (isTold) return { ...noUsage, inputTokens: told };
  return { ...noUsage, inputTokens: await countInputs(inputs), estimated: true };
}

/** The answer tells them, so that it waits. */
async function countInputs(inputs: readonly EmbeddingInput[]): Promise<number> {
  return idsIn(inputs) + (await countTexts(textsIn(inputs)));
}

function countSent(inputs: readonly EmbeddingInput[], upstreamId: string): UncountedUsage {
  const ids = idsIn(inputs);
  return uncountedTexts(upstreamId, textsIn(inputs), (tokens) => {
    return { ...noUsage, inputTokens: ids + tokens, estimated: true };
  });
}

const textsIn = (inputs: readonly EmbeddingInput[]): string[] =>
  inputs.filter((input) => typeof input === 'string');

const idsIn = (inputs: readonly EmbeddingInput[]): number =>
  inputs.reduce((sum: number, input) => sum + (typeof input === 'string' ? 0 : input.length), 0);
