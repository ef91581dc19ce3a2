/** POST /v1/embeddings */
import { noUsage, type Usage } from '../../base/token-usage.ts';
import { chatErrors } from '../../protocols/chat-completions/errors.ts';
import type {
  EmbeddingInput,
  EmbeddingsAnswer,
  EmbeddingsRequest,
} from '../../protocols/embeddings/embeddings.ts';
import { checkInputLengths, readEmbeddingsRequest } from '../../protocols/embeddings/request.ts';
import { writeEmbeddings } from '../../protocols/embeddings/write-embeddings.ts';
import { tryParseJson } from '../../protocols/json-body.ts';
import { openTokenizer } from '../../protocols/token-count/tokenizer.ts';
import { askUpstream, readAnswerText } from '../ask-upstream.ts';
import type { Asked, Attempt, Endpoint, Served } from '../endpoint.ts';
import { inBatches } from '../in-batches.ts';
import { readBodyText } from '../request-body.ts';

/** A full batch of vectors, written as floats, is the largest answer that any endpoint has. */
const maxAnswerBytes = 160 * 1_048_576;

type Ask = EmbeddingsRequest & Asked;

export const embeddings: Endpoint<Ask> = {
  path: '/v1/embeddings',
  modelType: 'embedding',
  errors: chatErrors,
  async readRequest(http, services) {
    const request = readEmbeddingsRequest(await readBodyText(http, services));
    await checkInputLengths(request);
    return { ...request, stream: false };
  },
  canServe: ({ embeddings: support }) => support !== undefined,
  attempt: embed,
};

async function embed(attempt: Attempt<Ask>): Promise<Served> {
  const { request, candidate, call } = attempt;
  const { embeddings: support } = candidate.supports;
  if (support === undefined) throw new Error('a provider without embeddings was taken for one');
  const { protocol } = support;
  const answers = await inBatches(request.inputs, protocol.maxInputs, async (inputs) => {
    const body = protocol.writeRequest(request, inputs, candidate.deployment.upstreamId);
    const response = await askUpstream(attempt, { support, stream: false, body });
    return protocol.readAnswer(
      tryParseJson(await readAnswerText(response, call, maxAnswerBytes)),
      inputs.length,
    );
  });
  const usage = await usageOf(answers, request.inputs);
  const body = writeEmbeddings(request, {
    vectors: answers.flatMap(({ vectors }) => vectors),
    inputTokens: usage.inputTokens,
  });
  return { kind: 'whole', body, contentType: 'application/json', usage };
}

/** Counted here where any of the upstream's answers does not say. */
async function usageOf(
  answers: readonly EmbeddingsAnswer[],
  inputs: readonly EmbeddingInput[],
): Promise<Usage & { readonly inputTokens: number }> {
  let told = 0;
  let isTold = true;
  for (const { inputTokens } of answers) {
    if (inputTokens === null) isTold = false;
    else told += inputTokens;
  }
  if (isTold) return { ...noUsage, inputTokens: told };
  const tokenizer = await openTokenizer();
  let counted = 0;
  for (const input of inputs) counted += typeof input === 'string' ? tokenizer.count(input) : input.length;
  return { ...noUsage, inputTokens: counted, estimated: true };
}
