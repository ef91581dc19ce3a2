/** Speech to text, as OpenAI speaks it: a multipart form in, a transcript out. */
import type { Generation } from '../../answer.ts';
import { type Reply, wholeReply } from '../../reply.ts';
import { piecesOf, stockWords } from '../../turn/words.ts';
import { writeProblem } from '../chat-completions/problem.ts';
import type { Protocol } from '../protocol.ts';
import { readingOf } from '../refusal.ts';
import { isTokenModel, readTranscription, type TranscriptionRequest } from './read.ts';
import { writeTranscript } from './write.ts';

const usualWords = 8;
const tokensOfOneSecond = 10;

export const transcriptions: Protocol = {
  name: 'transcriptions',
  serves: (method, path) => method === 'POST' && path.endsWith('/audio/transcriptions'),
  read: (request) =>
    readingOf(() => {
      const read = readTranscription(request);
      const generate = (generation: Generation) => transcribe(read, generation);
      return { model: read.model, stream: false, planKey: undefined, generate };
    }),
  writeProblem,
};

function transcribe(request: TranscriptionRequest, generation: Generation): Reply {
  const { text, tokens, nonAscii } = generation;
  const words = text === undefined ? stockWords(tokens ?? usualWords, nonAscii === true) : piecesOf(text);
  const heard = generation.promptTokens ?? Math.ceil(request.durationS * tokensOfOneSecond);
  const usage =
    generation.usage === 'never'
      ? undefined
      : { promptTokens: heard, cachedTokens: 0, completionTokens: words.length, reasoningTokens: 0 };
  const { contentType, text: body } = writeTranscript(request, words, usage);
  const told = isTokenModel(request.model) && request.format === 'json' ? usage : undefined;
  return wholeReply(200, contentType, { text: body, tokens: words.length, usage: told });
}
