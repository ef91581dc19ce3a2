/** The messages protocol, as Anthropic speaks it. */
import type { Generation } from '../../answer.ts';
import { type Reply, streamReply, wholeReply } from '../../reply.ts';
import { composeTurn } from '../../turn/compose-turn.ts';
import { planKeyOf } from '../../turn/plan-key.ts';
import type { Call, Protocol } from '../protocol.ts';
import { composeMessage } from './message.ts';
import { problemFields } from './problem.ts';
import { type MessagesRequest, readMessages } from './read.ts';
import { readStatement } from './statement.ts';
import { writeStream } from './write-stream.ts';
import { writeWhole } from './write-whole.ts';

export const messages: Protocol = {
  name: 'messages',
  serves: (method, path) => method === 'POST' && path.endsWith('/messages'),
  read(request) {
    const reading = readMessages(request);
    return reading.ok ? { ok: true, call: callOf(reading.request) } : reading;
  },
  writeProblem: (problem) => JSON.stringify(problemFields(problem)),
  // An error is always an event of its own here.
  writeProblemEvent: (problem) => ({
    lines: ['event: error', `data: ${JSON.stringify(problemFields(problem))}`],
    tokens: 0,
    usage: undefined,
  }),
  readStatement,
};

function callOf(request: MessagesRequest): Call {
  return {
    model: request.model,
    stream: request.stream,
    planKey: planKeyOf(request.wish, request.model, request.stream),
    generate: (generation, number) => generate(request, generation, number),
  };
}

function generate(request: MessagesRequest, generation: Generation, number: number): Reply {
  const turn = composeTurn(request.wish, generation, number);
  const message = composeMessage(turn, {
    id: `msg_double_${number}`,
    model: generation.model ?? request.model,
    writesUsage: generation.usage !== 'never',
  });
  return request.stream
    ? streamReply(writeStream(message))
    : wholeReply(200, 'application/json', writeWhole(message));
}
