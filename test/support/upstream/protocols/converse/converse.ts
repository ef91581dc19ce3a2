/** The Converse protocol, as Bedrock speaks it. */
import type { Generation } from '../../answer.ts';
import { type Reply, streamReply, wholeReply } from '../../reply.ts';
import { composeTurn } from '../../turn/compose-turn.ts';
import { planKeyOf } from '../../turn/plan-key.ts';
import type { Call, Protocol } from '../protocol.ts';
import { readingOf } from '../refusal.ts';
import { blocksOf, stopReasonOf, wholeBlock } from './blocks.ts';
import { problemHeaders, writeProblem, writeProblemEvent } from './problem.ts';
import { type ConverseRequest, isConverse, readConverse } from './read.ts';
import { usageFields } from './usage-fields.ts';
import { writeStream } from './write-stream.ts';

export const converse: Protocol = {
  name: 'converse',
  serves: isConverse,
  read: (request) => readingOf(() => callOf(readConverse(request))),
  writeProblem,
  problemHeaders,
  writeProblemEvent,
};

function callOf(request: ConverseRequest): Call {
  return {
    model: request.model,
    stream: request.stream,
    planKey: planKeyOf(request.wish, request.model, request.stream),
    generate: (generation, number) => generate(request, generation, number),
  };
}

function generate(request: ConverseRequest, generation: Generation, number: number): Reply {
  const turn = composeTurn(request.wish, generation, number);
  const blocks = blocksOf(turn);
  const stop = {
    stopReason: stopReasonOf(turn),
    ...(request.tellsStopSequence && {
      additionalModelResponseFields: { delta: { stop_sequence: turn.stopSequence } },
    }),
  };
  const usage = generation.usage === 'never' ? undefined : turn.usage;
  if (request.stream) {
    return streamReply(writeStream(blocks, { stop, usage }), 'application/vnd.amazon.eventstream');
  }
  const answer = {
    output: { message: { role: 'assistant', content: blocks.map(wholeBlock) } },
    ...stop,
    ...(usage !== undefined && { usage: usageFields(usage) }),
    metrics: { latencyMs: 12 },
  };
  const tokens = blocks.reduce((sum, { pieces }) => sum + pieces.length, 0);
  return wholeReply(200, 'application/json', { text: JSON.stringify(answer), tokens, usage });
}
