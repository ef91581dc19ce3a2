/** POST /v1/embeddings */
import { noUsage, type Usage } from '../../base/token-usage.ts';
import type { Prices } from '../../catalogue/index.ts';
import { chatErrors } from '../../protocols/chat-completions/errors.ts';
import {
  type EmbeddingInput,
  type EmbeddingsAnswer,
  type EmbeddingsRequest,
  writeEmbeddings,
} from '../../protocols/embeddings/embeddings.ts';
import { checkInputLengths, readEmbeddingsRequest } from '../../protocols/embeddings/request.ts';
import { estimateTokens } from '../../protocols/frames/generated-text.ts';
import { tryParseJson } from '../../protocols/json/fields.ts';
import { countTexts } from '../../protocols/token-count/count-texts.ts';
import { askUpstream, inBatches, readAnswerText } from '../../upstream/index.ts';
import { type Asked, type Asking, inferenceScopes, type PaidEndpoint, type Served } from '../endpoint.ts';
import { readBodyText, requireOpenMembers } from '../request-body.ts';

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
  async readRequest({ http }, services) {
    const request = readEmbeddingsRequest(await readBodyText(http, services));
    await checkInputLengths(request);
    return { ...request, stream: false };
  },
  canServe: ({ embeddings: support }) => support !== undefined,
  ask: embed,
};

async function embed(asking: Asking<Ask>): Promise<Served> {
  const { request, call } = asking;
  const { embeddings: support } = call.candidate.supports;
  if (support === undefined) throw new Error('a provider without embeddings was taken for one');
  const { protocol } = support;
  requireOpenMembers(request.json, call);
  const batching = { maxItems: protocol.maxInputs, call };
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
  { request: { inputs }, model }: Asking<Ask>,
): Promise<Usage & { readonly inputTokens: number }> {
  let told = 0;
  let isTold = true;
  for (const { inputTokens } of answers) {
    if (inputTokens === null) isTold = false;
    else told += inputTokens;
  }
  if (isTold) return { ...noUsage, inputTokens: told };
  return { ...noUsage, inputTokens: await countInputs(inputs, model.prices), estimated: true };
}

/** What nobody pays for is worth no more than a guess. */
async function countInputs(inputs: readonly EmbeddingInput[], prices: Prices | null): Promise<number> {
  const texts: string[] = [];
  let ids = 0;
  for (const input of inputs) {
    if (typeof input === 'string') texts.push(input);
    else ids += input.length;
  }
  if (prices?.input) return ids + (await countTexts(texts));
  return texts.reduce((sum, text) => sum + estimateTokens(text.length), ids);
}
