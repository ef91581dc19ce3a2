/** The chat completions protocol, as OpenAI and the hosts compatible with it speak it. */
import type { Generation } from '../../answer.ts';
import { type Reply, streamReply, wholeReply } from '../../reply.ts';
import { composeTurn } from '../../turn/compose-turn.ts';
import { planKeyOf } from '../../turn/plan-key.ts';
import type { Call, Problem, Protocol } from '../protocol.ts';
import { errorFields, writeProblem } from './problem.ts';
import { type ChatRequest, readChat } from './read.ts';
import { readStatement } from './statement.ts';
import { writeStream, writeWhole } from './write.ts';

export const chatCompletions: Protocol = {
  name: 'chat-completions',
  serves: (method, path) => method === 'POST' && path.endsWith('/chat/completions'),
  read(request) {
    const reading = readChat(request);
    return reading.ok ? { ok: true, call: callOf(reading.request) } : reading;
  },
  writeProblem,
  writeProblemEvent: (problem, insideChunk) => ({
    lines: [`data: ${JSON.stringify(insideChunk ? errorChunk(problem) : { error: errorFields(problem) })}`],
    tokens: 0,
    usage: undefined,
  }),
  readStatement,
};

function callOf(request: ChatRequest): Call {
  return {
    model: request.model,
    stream: request.stream,
    planKey: planKeyOf(request.wish, request.model, request.stream, request.asksUsage),
    generate: (generation, number) => generate(request, generation, number),
  };
}

function generate(request: ChatRequest, generation: Generation, number: number): Reply {
  const turn = composeTurn(request.wish, generation, number);
  const label = {
    id: `chatcmpl-double-${number}`,
    model: generation.model ?? request.model,
    choices: request.wish.choices,
  };
  if (!request.stream) {
    return wholeReply(200, 'application/json', writeWhole(turn, label, generation.usage !== 'never'));
  }
  const writesUsage = generation.usage === 'always' || (generation.usage !== 'never' && request.asksUsage);
  return streamReply(
    writeStream(turn, label, { writesUsage, interleaves: generation.interleaveToolCalls === true }),
  );
}

function errorChunk(problem: Problem): object {
  return {
    id: 'chatcmpl-double-error',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
    error: { code: problem.status, message: problem.message },
  };
}
