/** A made-up turn as output items of a response, before it is written whole or as a stream. */
import type { Turn } from '../../turn/compose-turn.ts';
import { encryptedContentOf } from './encrypted-content.ts';

/** Each with the pieces that a stream sends of it. */
export type Item =
  | {
      readonly type: 'reasoning';
      readonly id: string;
      readonly pieces: readonly string[];
      readonly encrypted: string | undefined;
    }
  | {
      readonly type: 'message';
      readonly id: string;
      readonly part: 'output_text' | 'refusal';
      readonly pieces: readonly string[];
    }
  | {
      readonly type: 'function_call';
      readonly id: string;
      readonly callId: string;
      readonly name: string;
      readonly pieces: readonly string[];
    };

export interface OutputManner {
  readonly number: number;
  readonly showsSummary: boolean;
  readonly encrypts: boolean;
}

export function outputOf(turn: Turn, manner: OutputManner): Item[] {
  const reasons = turn.usage.reasoningTokens > 0;
  const id = `rs_double_${manner.number}`;
  const items: Item[] = turn.toolCalls.map((call, index) => ({
    type: 'function_call',
    id: `fc_double_${manner.number}_${index}${reasons ? reasoned : ''}`,
    callId: call.id,
    name: call.name,
    pieces: call.fragments,
  }));
  const isRefusal = turn.finish === 'refusal';
  const pieces = isRefusal ? turn.refusal : turn.text;
  if (turn.toolCalls.length === 0) {
    const part = isRefusal ? 'refusal' : 'output_text';
    items.unshift({ type: 'message', id: `msg_double_${manner.number}`, part, pieces });
  }
  if (reasons) {
    const encrypted = manner.encrypts ? encryptedContentOf(id) : undefined;
    items.unshift({ type: 'reasoning', id, pieces: manner.showsSummary ? turn.reasoning : [], encrypted });
  }
  return items;
}

const reasoned = '_reasoned';

/** The reasoning that an item came from, as its id tells. */
export function reasoningIdOf(itemId: string): string | undefined {
  const match = /^fc_double_(\d+)_\d+_reasoned$/.exec(itemId);
  return match === null ? undefined : `rs_double_${match[1]}`;
}

export function wholeItem(item: Item): object {
  const said = item.pieces.join('');
  switch (item.type) {
    case 'reasoning':
      return {
        id: item.id,
        type: 'reasoning',
        summary: said === '' ? [] : [{ type: 'summary_text', text: said }],
        ...(item.encrypted !== undefined && { encrypted_content: item.encrypted }),
      };
    case 'message':
      return {
        id: item.id,
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [wholePart(item.part, said)],
      };
    case 'function_call':
      return {
        id: item.id,
        type: 'function_call',
        status: 'completed',
        arguments: said,
        call_id: item.callId,
        name: item.name,
      };
  }
}

export function wholePart(part: 'output_text' | 'refusal', said: string): object {
  return part === 'refusal'
    ? { type: 'refusal', refusal: said }
    : { type: 'output_text', annotations: [], logprobs: [], text: said };
}
