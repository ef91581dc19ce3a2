/** Writes a made-up response as the events of a stream. */
import type { LineEvent } from '../../reply.ts';
import type { Usage } from '../../usage.ts';
import { type Item, wholeItem, wholePart } from './output.ts';

export interface StreamManner {
  readonly interleaves: boolean;
  readonly obfuscates: boolean;
}

export interface Ends {
  readonly opening: object;
  readonly closing: object;
  readonly closingType: 'response.completed' | 'response.incomplete';
  readonly usage: Usage | undefined;
}

interface Draft {
  readonly type: string;
  readonly fields: object;
  readonly tokens: number;
}

export function writeStream(items: readonly Item[], ends: Ends, manner: StreamManner): LineEvent[] {
  const drafts = [
    draft('response.created', { response: ends.opening }),
    draft('response.in_progress', { response: ends.opening }),
    ...arrange(items, manner),
    draft(ends.closingType, { response: ends.closing }),
  ];
  return drafts.map(({ type, fields, tokens }, index) => {
    const data = JSON.stringify({ type, ...fields, sequence_number: index });
    const usage = index === drafts.length - 1 ? ends.usage : undefined;
    return { lines: [`event: ${type}`, `data: ${data}`], tokens, usage };
  });
}

/** Item after item, or the calls in turns. */
function arrange(items: readonly Item[], manner: StreamManner): Draft[] {
  const runs = items.map((item, index) => ({ type: item.type, drafts: writeItem(item, index, manner) }));
  const calls = runs.filter((run) => run.type === 'function_call').map((run) => run.drafts);
  if (!manner.interleaves || calls.length < 2) return runs.flatMap((run) => run.drafts);
  const others = runs.filter((run) => run.type !== 'function_call').flatMap((run) => run.drafts);
  const longest = Math.max(...calls.map((run) => run.length));
  const turns = Array.from({ length: longest }, (_, place) => calls.map((run) => run[place])).flat();
  return [...others, ...turns.filter((entry) => entry !== undefined)];
}

function writeItem(item: Item, index: number, manner: StreamManner): Draft[] {
  const at = { item_id: item.id, output_index: index };
  const said = item.pieces.join('');
  const deltas = (type: string, place: object): Draft[] =>
    item.pieces.map((delta) => {
      const padding = manner.obfuscates ? { obfuscation: 'x'.repeat(1 + (delta.length % 7)) } : {};
      return draft(type, { ...place, delta, ...padding }, 1);
    });
  const frame = (inner: readonly Draft[]): Draft[] => [
    draft('response.output_item.added', { item: emptyItem(item), output_index: index }),
    ...inner,
    draft('response.output_item.done', { item: wholeItem(item), output_index: index }),
  ];
  switch (item.type) {
    case 'reasoning':
      return frame(item.pieces.length === 0 ? [] : summaryDrafts(said, at, deltas));
    case 'message':
      return frame(partDrafts(item.part, said, at, deltas));
    case 'function_call':
      return frame([
        ...deltas('response.function_call_arguments.delta', at),
        draft('response.function_call_arguments.done', { ...at, name: item.name, arguments: said }),
      ]);
  }
}

type Deltas = (type: string, place: object) => Draft[];

function summaryDrafts(said: string, at: object, deltas: Deltas): Draft[] {
  const place = { ...at, summary_index: 0 };
  const part = (text: string) => ({ ...place, part: { type: 'summary_text', text } });
  return [
    draft('response.reasoning_summary_part.added', part('')),
    ...deltas('response.reasoning_summary_text.delta', place),
    draft('response.reasoning_summary_text.done', { ...place, text: said }),
    draft('response.reasoning_summary_part.done', part(said)),
  ];
}

function partDrafts(part: 'output_text' | 'refusal', said: string, at: object, deltas: Deltas): Draft[] {
  const place = { ...at, content_index: 0 };
  const isRefusal = part === 'refusal';
  const type = isRefusal ? 'response.refusal' : 'response.output_text';
  const lists = isRefusal ? {} : { logprobs: [] };
  return [
    draft('response.content_part.added', { ...place, part: wholePart(part, '') }),
    ...deltas(`${type}.delta`, { ...place, ...lists }),
    draft(`${type}.done`, { ...place, ...lists, [isRefusal ? 'refusal' : 'text']: said }),
    draft('response.content_part.done', { ...place, part: wholePart(part, said) }),
  ];
}

function emptyItem(item: Item): object {
  const empty = wholeItem({ ...item, pieces: [] });
  if (item.type === 'reasoning') return empty;
  return { ...empty, status: 'in_progress', ...(item.type === 'message' && { content: [] }) };
}

function draft(type: string, fields: object, tokens = 0): Draft {
  return { type, fields, tokens };
}
