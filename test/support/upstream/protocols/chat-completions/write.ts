/** Writes a made-up turn as a chat completion, whole or in chunks. */
import type { StreamEvent, WholeBody } from '../../reply.ts';
import type { ToolCall, Turn } from '../../turn/compose-turn.ts';
import type { Usage } from '../../usage.ts';

export interface Label {
  readonly id: string;
  readonly model: string;
  readonly choices: number;
}

export interface StreamManner {
  readonly writesUsage: boolean;
  readonly interleaves: boolean;
}

const created = 1_735_689_600;
const doneEvent: StreamEvent = { lines: ['data: [DONE]'], tokens: 0, usage: undefined };

export function writeWhole(turn: Turn, label: Label, writesUsage: boolean): Omit<WholeBody, 'kind'> {
  const message = {
    role: 'assistant',
    content: isSilent(turn) ? null : turn.text.join(''),
    ...(turn.reasoning.length > 0 && { reasoning_content: turn.reasoning.join('') }),
    refusal: turn.finish === 'refusal' ? turn.refusal.join('') : null,
    ...(turn.toolCalls.length > 0 && { tool_calls: turn.toolCalls.map(wholeToolCall) }),
  };
  const answer = {
    id: label.id,
    object: 'chat.completion',
    created,
    model: label.model,
    choices: Array.from({ length: label.choices }, (_, index) => ({
      index,
      message,
      logprobs: null,
      finish_reason: reasonOf(turn),
    })),
    ...(writesUsage && { usage: usageFields(turn.usage) }),
    system_fingerprint: 'fp_double',
  };
  return {
    text: JSON.stringify(answer),
    tokens: spokenTokens(turn) * label.choices,
    usage: writesUsage ? turn.usage : undefined,
  };
}

export function writeStream(turn: Turn, label: Label, manner: StreamManner): StreamEvent[] {
  const head = `data: {"id":${JSON.stringify(label.id)},"object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(label.model)},"system_fingerprint":"fp_double","choices":[`;
  const tail = manner.writesUsage ? '],"usage":null}' : ']}';
  const chunk = (index: number, delta: string, tokens: number, finish = 'null'): StreamEvent => ({
    lines: [`${head}{"index":${index},"delta":${delta},"logprobs":null,"finish_reason":${finish}}${tail}`],
    tokens,
    usage: undefined,
  });
  const deltas = [
    ...turn.reasoning.map((piece) => `{"reasoning_content":${JSON.stringify(piece)}}`),
    ...turn.text.map((piece) => `{"content":${JSON.stringify(piece)}}`),
    ...turn.refusal.map((piece) => `{"refusal":${JSON.stringify(piece)}}`),
  ];
  const choices = Array.from({ length: label.choices }, (_, index) => index);
  const events = choices.map((index) => chunk(index, openingDelta(turn), 0));
  // Side by side, as a host that runs its choices at once sends them.
  for (const delta of deltas) for (const index of choices) events.push(chunk(index, delta, 1));
  for (const { delta, tokens } of toolDeltas(turn.toolCalls, manner.interleaves)) {
    for (const index of choices) events.push(chunk(index, delta, tokens));
  }
  for (const index of choices) events.push(chunk(index, '{}', 0, JSON.stringify(reasonOf(turn))));
  if (manner.writesUsage) {
    const usage = JSON.stringify(usageFields(turn.usage));
    events.push({ lines: [`${head}],"usage":${usage}}`], tokens: 0, usage: turn.usage });
  }
  events.push(doneEvent);
  return events;
}

/** Hidden reasoning is billed but never seen, so a stream's pieces do not hold it either. */
function spokenTokens(turn: Turn): number {
  const fragments = turn.toolCalls.reduce((sum, call) => sum + call.fragments.length, 0);
  return turn.reasoning.length + turn.text.length + turn.refusal.length + fragments;
}

function isSilent(turn: Turn): boolean {
  return turn.toolCalls.length > 0 || turn.finish === 'refusal';
}

/** A refusal is an answer like others here; only its field tells it. */
function reasonOf({ finish }: Turn): string {
  return finish === 'refusal' ? 'stop' : finish;
}

function openingDelta(turn: Turn): string {
  return `{"role":"assistant","content":${isSilent(turn) ? 'null' : '""'},"refusal":null}`;
}

/** The first delta of a call names it; the rest carry its arguments, call by call or in turns. */
function toolDeltas(calls: readonly ToolCall[], interleaves: boolean): { delta: string; tokens: number }[] {
  const runs = calls.map((call, index) => [
    {
      delta: JSON.stringify({
        tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }],
      }),
      tokens: 0,
    },
    ...call.fragments.map((fragment) => ({
      delta: JSON.stringify({ tool_calls: [{ index, function: { arguments: fragment } }] }),
      tokens: 1,
    })),
  ]);
  if (!interleaves) return runs.flat();
  const longest = Math.max(0, ...runs.map((run) => run.length));
  return Array.from({ length: longest }, (_, place) => runs.map((run) => run[place]))
    .flat()
    .filter((delta) => delta !== undefined);
}

function wholeToolCall(call: ToolCall): object {
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.fragments.join('') },
  };
}

function usageFields(usage: Usage): object {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
