/** Frames of upstream streams, written out for tests. */

/** Chat completion chunks from their deltas, with the fields that every chunk has. */
export function chatFrames(...parts: readonly (object | string)[]): string {
  return parts.map((part) => (typeof part === 'string' ? `data: ${part}\n\n` : chatFrame(part))).join('');
}

function chatFrame(fields: object): string {
  return `data: ${JSON.stringify({ id: 'chatcmpl-1a', object: 'chat.completion.chunk', created: 5, model: 'gpt-x', ...fields })}\n\n`;
}

export const delta = (content: object, finish: string | null = null): object => ({
  choices: [{ index: 0, delta: content, finish_reason: finish }],
});

/** Events of the messages protocol. */
export function messagesFrames(...events: readonly { type: string }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

export const messageStart = (usage: object = { input_tokens: 10, output_tokens: 1 }) => ({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  },
});

export const blockStart = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
export const blockDelta = (index: number, change: object) => ({
  type: 'content_block_delta',
  index,
  delta: change,
});
export const blockStop = (index: number) => ({ type: 'content_block_stop', index });
export const messageDelta = (stop_reason: string, usage: object, stop_sequence: string | null = null) => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence },
  usage,
});
export const messageStop = { type: 'message_stop' };
