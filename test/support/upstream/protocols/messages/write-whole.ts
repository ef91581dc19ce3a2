/** Writes a made-up message as one answer. */
import { parseJson } from '../../json.ts';
import type { WholeBody } from '../../reply.ts';
import type { Block, Message } from './message.ts';
import { usageFields } from './usage-fields.ts';

export function writeWhole(message: Message): Omit<WholeBody, 'kind'> {
  const { id, model, blocks, usage } = message;
  const answer = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: blocks.map(wholeBlock),
    stop_reason: message.stopReason,
    stop_sequence: message.stopSequence,
    ...(usage !== undefined && { usage: usageFields(usage) }),
    double_mark: 'only the double says this',
  };
  const tokens = blocks.reduce((sum, { pieces }) => sum + pieces.length, 0);
  return { text: JSON.stringify(answer), tokens, usage };
}

function wholeBlock(block: Block): object {
  const said = block.pieces.join('');
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', thinking: said, signature: block.signature };
    case 'text':
      return { type: 'text', text: said };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: said === '' ? {} : parseJson(said) };
  }
}
