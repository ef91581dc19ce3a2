/** The responses protocol, as OpenAI speaks it. */
import type { Generation } from '../../answer.ts';
import { type Reply, streamReply, wholeReply } from '../../reply.ts';
import { composeTurn } from '../../turn/compose-turn.ts';
import { planKeyOf } from '../../turn/plan-key.ts';
import { errorFields, writeProblem } from '../chat-completions/problem.ts';
import type { Call, Problem, Protocol } from '../protocol.ts';
import { readingOf } from '../refusal.ts';
import { outputOf, wholeItem } from './output.ts';
import { type ResponsesRequest, readResponses } from './read.ts';
import { closedFields, openResponse } from './response.ts';
import { readStatement } from './statement.ts';
import { writeStream } from './write-stream.ts';

export const responses: Protocol = {
  name: 'responses',
  serves: (method, path) => method === 'POST' && path.endsWith('/responses'),
  read: (request) => readingOf(() => callOf(readResponses(request))),
  writeProblem,
  // An event of its own, or a response that failed.
  writeProblemEvent(problem, insideChunk) {
    const [type, fields] = insideChunk
      ? failure(problem)
      : (['error', { error: errorFields(problem) }] as const);
    const data = JSON.stringify({ type, ...fields, sequence_number: 0 });
    return { lines: [`event: ${type}`, `data: ${data}`], tokens: 0, usage: undefined };
  },
  readStatement,
};

function callOf(request: ResponsesRequest): Call {
  return {
    model: request.model,
    stream: request.stream,
    // The answer repeats most of its request.
    planKey: planKeyOf(request.wish, JSON.stringify(request.body)),
    generate: (generation, number) => generate(request, generation, number),
  };
}

function generate(request: ResponsesRequest, generation: Generation, number: number): Reply {
  const turn = composeTurn(request.wish, generation, number);
  const { asksSummary: showsSummary, asksEncrypted: encrypts } = request;
  const items = outputOf(turn, { number, showsSummary, encrypts });
  const tellsUsage = generation.usage !== 'never';
  const usage = tellsUsage ? turn.usage : undefined;
  // Long, as vendors' are, which nobody is given twice.
  const id = generation.responseId ?? `resp_double_${String(number).padStart(24, '0')}`;
  const label = { id, model: generation.model ?? request.model };
  const opening = openResponse(request, label);
  const closing = { ...opening, ...closedFields(turn, items.map(wholeItem), tellsUsage) };
  if (!request.stream) {
    const tokens = items.reduce((sum, { pieces }) => sum + pieces.length, 0);
    return wholeReply(200, 'application/json', { text: JSON.stringify(closing), tokens, usage });
  }
  const closingType = turn.finish === 'length' ? 'response.incomplete' : 'response.completed';
  const interleaves = generation.interleaveToolCalls === true;
  const manner = { interleaves, obfuscates: request.obfuscates };
  return streamReply(writeStream(items, { opening, closing, closingType, usage }, manner));
}

function failure({ message, code }: Problem): readonly [string, object] {
  const error = { code: code ?? 'server_error', message };
  const response = {
    id: 'resp_double_failed',
    object: 'response',
    status: 'failed',
    error,
    output: [],
    usage: null,
  };
  return ['response.failed', { response }];
}
