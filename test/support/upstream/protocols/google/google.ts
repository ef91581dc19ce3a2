/** The generateContent protocol, as the Gemini API speaks it. */
import type { Generation } from '../../answer.ts';
import { type Reply, streamReply, wholeReply } from '../../reply.ts';
import { composeTurn } from '../../turn/compose-turn.ts';
import { planKeyOf } from '../../turn/plan-key.ts';
import type { Call, Protocol } from '../protocol.ts';
import { readingOf } from '../refusal.ts';
import { candidateOf } from './candidate.ts';
import { demandsSignatures } from './check-signatures.ts';
import { servesVerb } from './path.ts';
import { writeProblem } from './problem.ts';
import { type GoogleRequest, readGoogle } from './read.ts';
import { readStatement } from './statement.ts';
import { eventOf, writeChunks, writeWhole } from './write.ts';

export const google: Protocol = {
  name: 'google',
  serves: servesVerb(['generateContent', 'streamGenerateContent']),
  read: (request) => readingOf(() => callOf(readGoogle(request))),
  writeProblem,
  writeProblemEvent: (problem) => ({
    lines: [`data: ${writeProblem(problem)}`],
    tokens: 0,
    usage: undefined,
  }),
  readStatement,
};

function callOf(request: GoogleRequest): Call {
  return {
    model: request.model,
    stream: request.stream,
    planKey: planKeyOf(request.wish, request.model, request.stream, request.asEvents, request.showsThoughts),
    generate: (generation, number) => generate(request, generation, number),
  };
}

function generate(request: GoogleRequest, generation: Generation, number: number): Reply {
  const turn = composeTurn(request.wish, generation, number);
  const alwaysSigns = demandsSignatures(request.model);
  const candidate = candidateOf(turn, { number, showsThoughts: request.showsThoughts, alwaysSigns });
  const label = {
    id: `response-double-${number}`,
    model: generation.model ?? request.model,
    choices: request.wish.choices,
    usage: generation.usage === 'never' ? undefined : turn.usage,
  };
  if (!request.stream)
    return wholeReply(200, 'application/json; charset=UTF-8', writeWhole(candidate, label));
  const chunks = writeChunks(candidate, label);
  if (request.asEvents) {
    return streamReply(chunks.map(eventOf), 'text/event-stream');
  }
  const text = JSON.stringify(chunks.map(({ data }) => data));
  const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0);
  return wholeReply(200, 'application/json; charset=UTF-8', { text, tokens, usage: label.usage });
}
