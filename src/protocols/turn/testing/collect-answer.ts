/** Puts the events of a stream together again, as a client would. */
import type { Choice, TurnAnswer } from '../answer.ts';
import type { AssistantBlock } from '../blocks.ts';
import type { BlockHead, TurnEvent } from '../events.ts';

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

interface OpenChoice {
  readonly blocks: Map<number, Mutable<AssistantBlock>>;
  readonly closed: Set<number>;
  logprobs: Choice['logprobs'];
  images: Choice['images'];
  stop: Choice['stop'] | undefined;
}

/** @throws Error when the events break the rules of their order. */
export function collectAnswer(events: readonly TurnEvent[]): TurnAnswer {
  const [first] = events;
  if (first?.type !== 'start') throw new Error('the stream does not begin with its start');
  if (events.at(-1)?.type !== 'end') throw new Error('the stream does not end with its end');
  const choices = new Map<number, OpenChoice>();
  let { usage } = first;
  for (const event of events.slice(1, -1)) {
    if (event.type === 'usage') usage = event.usage;
    else if (event.type === 'start' || event.type === 'end') throw new Error(`${event.type} in the middle`);
    else take(event, choices);
  }
  const { id, model, createdS } = first;
  return { id, model, createdS, choices: [...choices.values()].map(finish), usage };
}

function take(event: Extract<TurnEvent, { choice: number }>, choices: Map<number, OpenChoice>): void {
  const choice = choices.get(event.choice) ?? {
    blocks: new Map(),
    closed: new Set(),
    logprobs: undefined,
    images: undefined,
    stop: undefined,
  };
  choices.set(event.choice, choice);
  if (event.type === 'stop') {
    if (choice.stop !== undefined) throw new Error('a choice stops twice');
    if (choice.closed.size !== choice.blocks.size) throw new Error('a choice stops with an open block');
    choice.stop = event.stop;
    return;
  }
  if (event.type === 'image') {
    choice.images = [...(choice.images ?? []), event.image];
    return;
  }
  if (event.type === 'open') {
    if (choice.blocks.has(event.block)) throw new Error('a block opens twice');
    choice.blocks.set(event.block, blockOf(event.head));
    return;
  }
  const block = choice.blocks.get(event.block);
  if (block === undefined || choice.closed.has(event.block)) throw new Error('an event for no open block');
  if (event.type === 'close') choice.closed.add(event.block);
  else if (event.type === 'citation' && block.type === 'text') {
    block.citations = [...(block.citations ?? []), event.citation];
  } else if (event.type === 'signature' && block.type === 'thinking') block.signature = event.signature;
  else if (event.type === 'delta') {
    append(block, event.text);
    if (event.logprobs !== undefined) choice.logprobs = [...(choice.logprobs ?? []), ...event.logprobs];
  }
}

function blockOf(head: BlockHead): Mutable<AssistantBlock> {
  switch (head.kind) {
    case 'tool_use':
      return {
        type: 'tool_use',
        id: head.id,
        name: head.name,
        input: '',
        custom: head.custom,
        signature: head.signature,
      };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', signature: head.signature };
    default:
      return { type: head.kind, text: '' };
  }
}

function append(block: Mutable<AssistantBlock>, text: string): void {
  if (block.type === 'tool_use') block.input += text;
  else if (block.type !== 'redacted_thinking') block.text += text;
}

/** No arguments and an empty object are the same; free text is what it is. */
function finish({ blocks, logprobs, images, stop }: OpenChoice): Choice {
  if (stop === undefined) throw new Error('a choice does not stop');
  const content = [...blocks.values()].map(
    (block): AssistantBlock =>
      block.type === 'tool_use' && block.custom !== true && block.input === '{}'
        ? { ...block, input: '' }
        : block,
  );
  return { content, stop, logprobs, ...(images === undefined ? {} : { images }) };
}
