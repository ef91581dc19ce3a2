/** Writes a made-up message as the events of a stream. */
import type { StreamEvent } from '../../reply.ts';
import type { Usage } from '../../usage.ts';
import type { Block, Message } from './message.ts';
import { usageFields } from './usage-fields.ts';

export function writeStream(message: Message): StreamEvent[] {
  const { id, model, blocks, usage } = message;
  const atStart = usage && { ...usage, completionTokens: 1, reasoningTokens: 0 };
  const opening = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(atStart !== undefined && { usage: usageFields(atStart) }),
  };
  const delta = { stop_reason: message.stopReason, stop_sequence: message.stopSequence };
  const closing = { delta, ...(usage !== undefined && { usage: usageFields(usage) }) };
  return [
    event('message_start', { message: opening }, 0, atStart),
    event('ping', {}),
    ...blocks.flatMap((block, index) => writeBlock(block, index)),
    event('message_delta', closing, 0, usage),
    event('message_stop', {}),
  ];
}

function writeBlock(block: Block, index: number): StreamEvent[] {
  const delta = (fields: object, tokens: number) =>
    event('content_block_delta', { index, delta: fields }, tokens);
  return [
    event('content_block_start', { index, content_block: emptyBlock(block) }),
    ...openingDeltas(block).map((fields) => delta(fields, 0)),
    ...block.pieces.map((piece) => delta(pieceDelta(block, piece), 1)),
    ...(block.type === 'thinking' ? [delta({ type: 'signature_delta', signature: block.signature }, 0)] : []),
    event('content_block_stop', { index }),
  ];
}

function emptyBlock(block: Block): object {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'text':
      return { type: 'text', text: '' };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: {} };
  }
}

/** The arguments of a tool begin with a piece that says nothing. */
function openingDeltas(block: Block): object[] {
  return block.type === 'tool_use' ? [pieceDelta(block, '')] : [];
}

function pieceDelta(block: Block, piece: string): object {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking_delta', thinking: piece };
    case 'text':
      return { type: 'text_delta', text: piece };
    case 'tool_use':
      return { type: 'input_json_delta', partial_json: piece };
  }
}

function event(type: string, fields: object, tokens = 0, usage?: Usage): StreamEvent {
  return { lines: [`event: ${type}`, `data: ${JSON.stringify({ type, ...fields })}`], tokens, usage };
}
