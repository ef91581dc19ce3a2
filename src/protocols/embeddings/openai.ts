/** Embeddings of OpenAI and of the hosts that are asked in its manner; their differences are data. */
import { asObject, asTokenCount } from '../json/fields.ts';
import { refuse } from '../turn/refuse.ts';
import {
  type EmbeddingInput,
  type EmbeddingsAnswer,
  type EmbeddingsRequest,
  type EmbeddingsUpstream,
  readVector,
} from './embeddings.ts';
import { notAnAnswer, passFields, readVectorComplaint, sortByIndex } from './wire.ts';

export interface EmbeddingsHost {
  readonly name: string;
  /** The most inputs in one call. */
  readonly maxInputs: number;
  /** Takes ids of tokens instead of text. */
  readonly tokenIds: boolean;
  /** What the field for the number of dimensions is called; null where nobody can choose. */
  readonly dimensionsField: string | null;
  /** What the field is called that asks for base64; null where there are only numbers. */
  readonly base64Field: string | null;
  /** How queries are told from documents; null where they are not. */
  readonly inputType: { readonly field: string; readonly query: string; readonly document: string } | null;
  /** Members of every request. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Which of the client's further fields go along. */
  readonly passes: 'all' | readonly string[];
}

const openai: EmbeddingsHost = {
  name: 'openai-embeddings',
  maxInputs: 2048,
  tokenIds: true,
  dimensionsField: 'dimensions',
  base64Field: 'encoding_format',
  inputType: null,
  fixed: {},
  passes: 'all',
};

/** @param differences in what the host is not as OpenAI is. */
export function openaiEmbeddings(differences: Partial<EmbeddingsHost> = {}): EmbeddingsUpstream {
  const host: EmbeddingsHost = { ...openai, ...differences };
  return {
    name: host.name,
    maxInputs: host.maxInputs,
    writeRequest: (request, inputs, model) => JSON.stringify(writeBody({ host, request, inputs, model })),
    readAnswer,
    readComplaint: readVectorComplaint,
  };
}

interface HostCall {
  readonly host: EmbeddingsHost;
  readonly request: EmbeddingsRequest;
  readonly inputs: readonly EmbeddingInput[];
  readonly model: string;
}

function writeBody({ host, request, inputs, model }: HostCall): object {
  if (!host.tokenIds && inputs.some((input) => typeof input !== 'string'))
    throw refuse('ids of tokens', 'input');
  const body: Record<string, unknown> = {
    ...passFields(request.json, host.passes),
    ...host.fixed,
    model,
    input: inputs,
  };
  if (request.dimensions !== undefined) {
    if (host.dimensionsField === null) throw refuse('a number of dimensions', 'dimensions');
    body[host.dimensionsField] = request.dimensions;
  }
  if (request.encodingFormat === 'base64' && host.base64Field !== null) body[host.base64Field] = 'base64';
  if (request.inputType !== undefined && host.inputType !== null) {
    body[host.inputType.field] = host.inputType[request.inputType];
  }
  return body;
}

function readAnswer(json: unknown, count: number): EmbeddingsAnswer {
  const body = asObject(json);
  const data = body?.['data'];
  if (!Array.isArray(data)) throw notAnAnswer(json, 'the answer has no list of vectors');
  const usage = asObject(body?.['usage']);
  return {
    vectors: sortByIndex(withIndexes(data), count).map(({ entry }) => readVector(entry['embedding'])),
    // Nothing is embedded for no tokens: a zero is a host that does not count.
    inputTokens: asTokenCount(usage?.['prompt_tokens']) || asTokenCount(usage?.['total_tokens']) || null,
  };
}

/** Hosts that leave the indexes out keep the order of the inputs. */
function withIndexes(data: readonly unknown[]): readonly unknown[] {
  if (data.some((entry) => asObject(entry)?.['index'] !== undefined)) return data;
  return data.map((entry, index) => ({ ...asObject(entry), index }));
}
