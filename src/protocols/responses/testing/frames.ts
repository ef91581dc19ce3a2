/** Frames of Responses streams, written out for tests. */

export interface StreamedEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export function responsesFrames(...events: readonly StreamedEvent[]): string {
  return events
    .map((event, at) => {
      const data = JSON.stringify({ sequence_number: at, ...event });
      return `event: ${event.type}\ndata: ${data}\n\n`;
    })
    .join('');
}

const head = { id: 'resp_1', object: 'response', created_at: 5, model: 'gpt-x', error: null };

export const created = {
  type: 'response.created',
  response: { ...head, status: 'in_progress', output: [], usage: null },
};

export const usage = {
  input_tokens: 50,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 59,
};

export const whole = (output: readonly object[], fields: object = {}): object => ({
  ...head,
  status: 'completed',
  incomplete_details: null,
  output,
  usage,
  ...fields,
});

export const completed = (output: readonly object[] = []) => ({
  type: 'response.completed',
  response: whole(output),
});

export const added = (output_index: number, item: object) => ({
  type: 'response.output_item.added',
  output_index,
  item,
});

export const done = (output_index: number, item: object) => ({
  type: 'response.output_item.done',
  output_index,
  item,
});

export const textDelta = (output_index: number, delta: string, content_index = 0) => ({
  type: 'response.output_text.delta',
  output_index,
  content_index,
  item_id: `msg_${output_index}`,
  delta,
  logprobs: [],
});

export const message = (...texts: readonly string[]) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: texts.map((text) => ({ type: 'output_text', text, annotations: [] })),
});

export const call = (callId: string, name: string, input: string) => ({
  type: 'function_call',
  id: `fc_${callId}`,
  call_id: callId,
  name,
  arguments: input,
  status: 'completed',
});
