/** Writes a made-up message as the frames of a stream. */
import type { FrameEvent } from '../../reply.ts';
import type { Usage } from '../../usage.ts';
import { signatureOf } from '../messages/message.ts';
import type { Block } from './blocks.ts';
import { usageFields } from './usage-fields.ts';

export interface StreamLabel {
  readonly stop: object;
  /** Undefined when none is told. */
  readonly usage: Usage | undefined;
}

export function writeStream(blocks: readonly Block[], { stop, usage }: StreamLabel): FrameEvent[] {
  const metadata = { ...(usage !== undefined && { usage: usageFields(usage) }), metrics: { latencyMs: 12 } };
  return [
    frame('messageStart', { role: 'assistant' }),
    ...blocks.flatMap(writeBlock),
    frame('messageStop', stop),
    { ...frame('metadata', metadata), usage },
  ];
}

/** Only the use of a tool has a start of its own. */
function writeBlock(block: Block, contentBlockIndex: number): FrameEvent[] {
  const delta = (fields: object, tokens: number) =>
    frame('contentBlockDelta', { contentBlockIndex, delta: fields }, tokens);
  const end = frame('contentBlockStop', { contentBlockIndex });
  switch (block.kind) {
    case 'text':
      return [...block.pieces.map((text) => delta({ text }, 1)), end];
    case 'reasoning': {
      const signature = signatureOf(block.pieces.join(''));
      const pieces = block.pieces.map((text) => delta({ reasoningContent: { text } }, 1));
      return [...pieces, delta({ reasoningContent: { signature } }, 0), end];
    }
    case 'toolUse': {
      const start = { toolUse: { toolUseId: block.id, name: block.name } };
      return [
        frame('contentBlockStart', { contentBlockIndex, start }),
        ...block.pieces.map((input) => delta({ toolUse: { input } }, 1)),
        end,
      ];
    }
  }
}

function frame(type: string, fields: object, tokens = 0): FrameEvent {
  // The real host pads each payload to a length of its own.
  const payload = Buffer.from(JSON.stringify({ ...fields, p: 'abcdefgh'.slice(0, 1 + (tokens % 8)) }));
  const headers = { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' };
  return { message: { headers, payload }, tokens, usage: undefined };
}
