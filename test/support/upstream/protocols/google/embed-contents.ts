/** Embeddings of several contents at once. */
import { isObject, type JsonObject, readList, readNumber, readObject, readText } from '../../json.ts';
import { wholeReply } from '../../reply.ts';
import { vectorOf } from '../embeddings/vector.ts';
import type { Protocol, ProtocolRequest } from '../protocol.ts';
import { readingOf } from '../refusal.ts';
import { unknownField } from '../strict-fields.ts';
import { checkParts } from './contents.ts';
import { readPath, servesVerb } from './path.ts';
import { refuse, writeProblem } from './problem.ts';

const knownFields = ['model', 'content', 'taskType', 'title', 'outputDimensionality'];
const usualDimensions = 8;
const mostRequests = 100;

export const googleEmbeddings: Protocol = {
  name: 'google-embeddings',
  serves: servesVerb(['batchEmbedContents']),
  read: (request) =>
    readingOf(() => {
      const { model, embeddings } = readBatch(request);
      const text = JSON.stringify({ embeddings });
      return {
        model,
        stream: false,
        planKey: undefined,
        // The real answer tells no counts.
        generate: () =>
          wholeReply(200, 'application/json; charset=UTF-8', { text, tokens: 0, usage: undefined }),
      };
    }),
  writeProblem,
};

function readBatch({ path, body }: ProtocolRequest): { model: string; embeddings: object[] } {
  const model = readPath(path)?.model ?? '';
  const stranger = unknownField(isObject(body) ? body : {}, ['requests']);
  if (stranger !== undefined) throw refuse(`The JSON has a field "${stranger}" that is not known.`);
  const requests = readList(body, 'requests').filter(isObject);
  if (requests.length === 0 || requests.length > mostRequests) {
    throw refuse(`requests: from 1 to ${mostRequests} are taken, not ${requests.length}.`);
  }
  return { model, embeddings: requests.map((request, index) => embed(request, model, `requests[${index}]`)) };
}

function embed(request: JsonObject, model: string, at: string): object {
  const stranger = unknownField(request, knownFields);
  if (stranger !== undefined)
    throw refuse(`The JSON has a field "${stranger}" at "${at}" that is not known.`);
  if (request['model'] !== `models/${model}`) throw refuse(`${at}.model: it is not models/${model}.`);
  const content = readObject(request, 'content');
  checkParts(content, `${at}.content`);
  const text = readList(content, 'parts')
    .map((part) => readText(part, 'text') ?? '')
    .join('');
  return { values: vectorOf(text, readNumber(request, 'outputDimensionality') ?? usualDimensions) };
}
