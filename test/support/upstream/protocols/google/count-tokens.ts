/** The counting of tokens, of bare contents or of a whole request for content. */
import { isObject, readObject } from '../../json.ts';
import { type Reply, wholeReply } from '../../reply.ts';
import type { Protocol, ProtocolRequest } from '../protocol.ts';
import { readingOf } from '../refusal.ts';
import { readPath, servesVerb } from './path.ts';
import { refuse, writeProblem } from './problem.ts';
import { checkBody } from './read.ts';

export const googleCountTokens: Protocol = {
  name: 'google-count-tokens',
  serves: servesVerb(['countTokens']),
  read: (request) =>
    readingOf(() => {
      const model = readCount(request);
      return {
        model,
        stream: false,
        planKey: undefined,
        generate: ({ promptTokens }) => counted(promptTokens ?? Math.ceil(request.bodyBytes / 4)),
      };
    }),
  writeProblem,
};

function readCount({ path, body }: ProtocolRequest): string {
  const model = readPath(path)?.model ?? '';
  const isWhole = isObject(body) && 'generateContentRequest' in body;
  if (!isWhole) {
    const stranger = Object.keys(isObject(body) ? body : {}).find((name) => name !== 'contents');
    if (stranger !== undefined) throw refuse(`The JSON has a field "${stranger}" that is not known.`);
    checkBody(body, model);
    return model;
  }
  const inner = readObject(body, 'generateContentRequest');
  if (inner['model'] !== `models/${model}`)
    throw refuse('generateContentRequest.model: it is not the one asked.');
  checkBody(inner, model);
  return model;
}

function counted(totalTokens: number): Reply {
  const details = [{ modality: 'TEXT', tokenCount: totalTokens }];
  const text = JSON.stringify({ totalTokens, promptTokensDetails: details });
  return wholeReply(200, 'application/json; charset=UTF-8', { text, tokens: 0, usage: undefined });
}
