/** Writes events of the turn as a messages stream. */
import { noUsage, type TokenUsage } from '../../base/token-usage.ts';
import type { Stop } from '../turn/answer.ts';
import type { BlockHead, DeltaEvent, EventWriter, RescueNote, TurnEvent } from '../turn/events.ts';
import { wrapping } from '../turn/free-text/as-function.ts';
import { packSignature, packToolSignature } from '../turn/signature.ts';
import { writeCitation } from './citations.ts';
import { writeMessagesStop, writeMessagesUsage } from './outcome.ts';
import { writeToolId } from './write-messages.ts';

type BlockEvent = Extract<TurnEvent, { block: number }>;

/**
 * Blocks of this protocol follow each other, so while one is open, what comes for another waits. The counts of the
 * whole answer go into `message_delta`, since other protocols send them last.
 */
export class MessagesEventWriter implements EventWriter {
  readonly #writer = new BlockWriter();
  #open: number | null = null;
  readonly #waiting = new Map<number, BlockEvent[]>();
  #stop: Stop = { reason: 'end' };
  #usage: TokenUsage = noUsage;

  write(event: TurnEvent): string {
    switch (event.type) {
      case 'start':
        return this.#start(event);
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'stop':
        if (event.choice === 0) this.#stop = event.stop;
        return '';
      // The protocol has no place for what a model painted.
      case 'image':
        return '';
      case 'end':
        return this.#end();
      default:
        return event.choice === 0 ? this.#block(event) : '';
    }
  }

  /** Some clients show a stall in spite of pings, so that an open block gets a piece of nothing. */
  idle(): string {
    return this.#writer.idle();
  }

  /** In a ping, which may stand anywhere. */
  note(note: RescueNote): string {
    return frame('ping', JSON.stringify({ type: 'ping', sluice: { rescue: note } }));
  }

  #start({ id, model, usage }: Extract<TurnEvent, { type: 'start' }>): string {
    this.#usage = usage ?? noUsage;
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: writeMessagesUsage(this.#usage),
    };
    return frame('message_start', JSON.stringify({ type: 'message_start', message }));
  }

  #block(event: BlockEvent): string {
    if (event.block === this.#open) {
      const out = this.#writer.write(event);
      return event.type === 'close' ? out + this.#next() : out;
    }
    if (this.#open === null && event.type === 'open') {
      this.#open = event.block;
      return this.#writer.write(event);
    }
    const waiting = this.#waiting.get(event.block);
    if (waiting !== undefined) waiting.push(event);
    else if (event.type === 'open') this.#waiting.set(event.block, [event]);
    return '';
  }

  /** The open block is done: the ones that waited follow, up to the first that is not done itself. */
  #next(): string {
    this.#open = null;
    let out = '';
    for (const [block, events] of this.#waiting) {
      this.#waiting.delete(block);
      for (const event of events) out += this.#writer.write(event);
      if (events.at(-1)?.type !== 'close') {
        this.#open = block;
        return out;
      }
    }
    return out;
  }

  #end(): string {
    const delta = writeMessagesStop(this.#stop);
    const last = { type: 'message_delta', delta, usage: writeMessagesUsage(this.#usage) };
    return frame('message_delta', JSON.stringify(last)) + frame('message_stop', '{"type":"message_stop"}');
  }
}

const emptyText = '{"type":"text_delta","text":""}';
const emptyThinking = '{"type":"thinking_delta","thinking":""}';
const emptyInput = '{"type":"input_json_delta","partial_json":""}';
const emptyDeltas: Readonly<Record<BlockHead['kind'], string | null>> = {
  text: emptyText,
  refusal: emptyText,
  thinking: emptyThinking,
  redacted_thinking: null,
  tool_use: emptyInput,
};
/** By the type of a block that begins, or of a delta inside it. */
export const emptyDeltasByType: ReadonlyMap<unknown, string> = new Map([
  ...['text', 'text_delta', 'citations_delta'].map((type) => [type, emptyText] as const),
  ...['thinking', 'thinking_delta'].map((type) => [type, emptyThinking] as const),
  ...['tool_use', 'server_tool_use', 'mcp_tool_use'].map((type) => [type, emptyInput] as const),
  ['input_json_delta', emptyInput],
]);

/** Writes blocks one after the other, never two at once. */
class BlockWriter {
  #index = -1;
  #emptyDelta: string | null = null;
  /** The open block is a call with free text, which stands in a JSON string here. */
  #isFreeText = false;

  write(event: Extract<TurnEvent, { block: number }>): string {
    switch (event.type) {
      case 'open':
        return this.#open(event.head);
      case 'delta':
        return this.#delta(event);
      case 'citation':
        return this.#frameDelta(
          `{"type":"citations_delta","citation":${JSON.stringify(writeCitation(event.citation))}}`,
        );
      case 'signature':
        return this.#frameDelta(
          `{"type":"signature_delta","signature":${JSON.stringify(packSignature(event.signature, 'anthropic'))}}`,
        );
      case 'close':
        return this.#close();
    }
  }

  /** A delta without content for the open block, where its kind has any. */
  idle(): string {
    return this.#emptyDelta === null ? ping : this.#frameDelta(this.#emptyDelta);
  }

  #open(head: BlockHead): string {
    this.#emptyDelta = emptyDeltas[head.kind];
    switch (head.kind) {
      case 'text':
      case 'refusal':
        return this.#start('{"type":"text","text":""}');
      case 'thinking':
        return this.#start('{"type":"thinking","thinking":"","signature":""}');
      case 'redacted_thinking':
        return this.#startRedacted(packSignature(head.signature, 'anthropic'));
      case 'tool_use':
        return this.#openTool(head);
    }
  }

  #openTool(head: Extract<BlockHead, { kind: 'tool_use' }>): string {
    const { name, signature } = head;
    const id = writeToolId(head.id);
    const signed =
      signature === undefined
        ? ''
        : this.#startRedacted(packToolSignature({ toolId: id, signature })) + this.#close();
    const block = { type: 'tool_use', id, name, input: {} };
    this.#isFreeText = head.custom === true;
    // Clients begin to collect the input at the first delta, which a tool without arguments has too.
    return (
      signed + this.#start(JSON.stringify(block)) + this.#inputDelta(this.#isFreeText ? wrapping.start : '')
    );
  }

  #startRedacted(data: string): string {
    return this.#start(`{"type":"redacted_thinking","data":${JSON.stringify(data)}}`);
  }

  #start(block: string): string {
    this.#index += 1;
    return frame(
      'content_block_start',
      `{"type":"content_block_start","index":${this.#index},"content_block":${block}}`,
    );
  }

  #delta({ kind, text }: DeltaEvent): string {
    if (text === '') return '';
    const value = JSON.stringify(text);
    switch (kind) {
      case 'text':
      case 'refusal':
        return this.#frameDelta(`{"type":"text_delta","text":${value}}`);
      case 'thinking':
        return this.#frameDelta(`{"type":"thinking_delta","thinking":${value}}`);
      case 'input':
        return this.#inputDelta(this.#isFreeText ? wrapping.piece(text) : text);
    }
  }

  #inputDelta(piece: string): string {
    return this.#frameDelta(`{"type":"input_json_delta","partial_json":${JSON.stringify(piece)}}`);
  }

  #frameDelta(delta: string): string {
    return deltaFrame(this.#index, delta);
  }

  #close(): string {
    this.#emptyDelta = null;
    const rest = this.#isFreeText ? this.#inputDelta(wrapping.end) : '';
    this.#isFreeText = false;
    return rest + frame('content_block_stop', `{"type":"content_block_stop","index":${this.#index}}`);
  }
}

/** Repeats the type in the event line, as the protocol does. */
export function frame(type: string, data: string): string {
  return `event: ${type}\ndata: ${data}\n\n`;
}

/** @param delta JSON. */
export function deltaFrame(index: number, delta: string): string {
  return frame('content_block_delta', `{"type":"content_block_delta","index":${index},"delta":${delta}}`);
}

/** A sign of life, which may stand anywhere. */
export const ping = frame('ping', '{"type":"ping"}');
