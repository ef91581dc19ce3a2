/** Reads streams of the messages protocol, and the content blocks in them, into events of the turn. */
import type { ExtrasSoFar } from '../../base/token-usage.ts';
import {
  asCount,
  asFilledText,
  asObject,
  asObjects,
  asText,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../json/fields.ts';
import { readSpelledBelow } from '../json/spelling.ts';
import type { EventReader } from '../protocol.ts';
import { brokenFrame, type UpstreamComplaint } from '../translator.ts';
import type { Stop } from '../turn/answer.ts';
import type { BlockHead, DeltaEvent, TurnEvent } from '../turn/events.ts';
import { type Signature, unpackSignature, unpackToolSignature } from '../turn/signature.ts';
import { TextGaps } from '../turn/text-gaps.ts';
import { readCitation, readCitations } from './citations.ts';
import { messagesComplaintIn } from './errors.ts';
import { containerOf, MessageExtras, mergeUsage, readMessagesStop, readMessagesUsage } from './outcome.ts';
import { argumentMembers, isTrace, readInput } from './read-messages.ts';

export class MessagesEventReader implements EventReader {
  complaint: UpstreamComplaint | null = null;
  #isStarted = false;
  #hasStopped = false;
  isEnded = false;
  /** Said with the start, where an answer came with it. */
  #startStop: Stop | null = null;
  #usage: JsonObject = {};
  readonly #blocks = new BlockReader();
  readonly #extras = new MessageExtras();

  get extrasSoFar(): ExtrasSoFar {
    return this.#extras.soFar;
  }

  /** The reason for the end is the last that is said; what follows it only closes the stream. */
  get isComplete(): boolean {
    return this.#hasStopped || this.isEnded;
  }

  read(data: string, events: TurnEvent[]): void {
    if (data === '' || this.isEnded) return;
    const event = readSpelledBelow(data, argumentMembers) ?? tryParseJson(data);
    if (isJsonObject(event)) this.#readEvent(event, events);
    else this.complaint ??= brokenFrame;
  }

  finish(events: TurnEvent[]): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#blocks.closeAll(events);
    if (!this.#hasStopped) {
      const stop = this.#startStop ?? { reason: this.#blocks.hasTools ? 'tool_use' : 'end' };
      events.push({ type: 'stop', choice: 0, stop });
    }
    events.push({ type: 'end' });
  }

  #readEvent(event: JsonObject, events: TurnEvent[]): void {
    const { type } = event;
    if (!this.#isStarted && typeof type === 'string' && /^(content_block|message_(delta|stop))/.test(type)) {
      this.complaint ??= brokenFrame;
      return;
    }
    // The answer has said that it is over.
    if (this.#hasStopped && typeof type === 'string' && type.startsWith('content_block')) return;
    switch (type) {
      case 'content_block_delta':
        this.#blocks.delta(indexOf(event), asObject(event['delta']) ?? {}, events);
        break;
      case 'content_block_start':
        this.#extras.noteBlock(asObject(event['content_block']) ?? {});
        if (!this.#blocks.start(indexOf(event), asObject(event['content_block']) ?? {}, events)) {
          this.complaint ??= brokenFrame;
        }
        break;
      case 'content_block_stop':
        this.#blocks.stop(indexOf(event), events);
        break;
      case 'message_start':
        this.#start(asObject(event['message']) ?? {}, events);
        break;
      case 'message_delta':
        this.#messageDelta(event, events);
        break;
      case 'message_stop':
        this.finish(events);
        break;
      case 'error':
        this.complaint ??= messagesComplaintIn(event) ?? brokenFrame;
        break;
      case undefined:
        // Hosts in front of the protocol leave out the type.
        this.complaint ??= messagesComplaintIn(event);
        break;
    }
  }

  /** A second start would take back what the client has already been shown. */
  #start(message: JsonObject, events: TurnEvent[]): void {
    if (this.#isStarted) {
      this.complaint ??= brokenFrame;
      return;
    }
    this.#isStarted = true;
    this.#extras.noteStart(message);
    this.#usage = mergeUsage(mergeUsage(this.#usage, message['usage']), containerOf(message));
    const usage = readMessagesUsage(this.#usage);
    events.push({
      type: 'start',
      id: asText(message['id']) ?? '',
      model: asText(message['model']) ?? '',
      usage,
    });
    for (const content of asObjects(message['content'])) this.#blocks.whole(content, events);
    this.#startStop = readStartStop(message);
    // The counts beside an end are those of the whole answer.
    if (this.#startStop !== null && usage !== null) events.push({ type: 'usage', usage });
  }

  #messageDelta(event: JsonObject, events: TurnEvent[]): void {
    const delta = asObject(event['delta']);
    const reason = asFilledText(delta?.['stop_reason']);
    if (reason !== undefined && !this.#hasStopped) {
      this.#hasStopped = true;
      this.#blocks.closeAll(events);
      events.push({ type: 'stop', choice: 0, stop: readMessagesStop(reason, delta?.['stop_sequence']) });
    }
    this.#usage = mergeUsage(mergeUsage(this.#usage, event['usage']), delta && containerOf(delta));
    const usage = readMessagesUsage(this.#usage);
    if (usage !== null) events.push({ type: 'usage', usage });
  }
}

/** Calls that code of the model's own makes come whole with the start, and so does the reason for the end. */
function readStartStop(message: JsonObject): Stop | null {
  const reason = asFilledText(message['stop_reason']);
  return reason === undefined ? null : readMessagesStop(reason, message['stop_sequence']);
}

const indexOf = (event: JsonObject): number => asCount(event['index']) ?? 0;

interface OpenBlock {
  /** Its number in the form, where blocks that nobody else knows are not counted. */
  readonly block: number;
  readonly kind: BlockHead['kind'];
  /** Input that came with the block's start, which hosts send instead of deltas, or besides them. */
  readonly givenInput: string;
  hasInput: boolean;
}

function kindOfDelta(type: unknown): BlockHead['kind'] | undefined {
  switch (type) {
    case 'text_delta':
    case 'citations_delta':
      return 'text';
    case 'thinking_delta':
    case 'signature_delta':
      return 'thinking';
    case 'input_json_delta':
      return 'tool_use';
  }
  return undefined;
}

class BlockReader {
  readonly #open = new Map<number, OpenBlock>();
  readonly #signatureOfTool = new Map<string, Signature>();
  readonly #gaps = new TextGaps();
  hasTools = false;
  #count = 0;

  /** Whether the block could begin: one that is open cannot, and what was shown of it cannot be taken back. */
  start(index: number, content: JsonObject, events: TurnEvent[]): boolean {
    if (this.#open.has(index)) return false;
    if (isTrace(content)) this.#gaps.passOver();
    const head = this.#readHead(content);
    if (head !== undefined) this.#begin(index, content, { head, events });
    return true;
  }

  #begin(
    index: number,
    content: JsonObject,
    { head, events }: { head: BlockHead; events: TurnEvent[] },
  ): void {
    const isTool = head.kind === 'tool_use';
    this.hasTools ||= isTool;
    if (head.kind !== 'text') this.#gaps.interrupt();
    const opened = {
      block: this.#count,
      kind: head.kind,
      givenInput: isTool ? readInput(content['input']) : '',
      hasInput: false,
    };
    this.#count += 1;
    this.#open.set(index, opened);
    events.push({ type: 'open', choice: 0, block: opened.block, head });
    const text = asFilledText(content[head.kind]);
    if (text !== undefined && (head.kind === 'text' || head.kind === 'thinking')) {
      this.#tell(opened.block, head.kind, text, events);
    }
    if (head.kind === 'text') {
      for (const citation of readCitations(content['citations'])) {
        events.push({ type: 'citation', choice: 0, block: opened.block, citation });
      }
    }
    const signature = head.kind === 'thinking' ? asFilledText(content['signature']) : undefined;
    if (signature !== undefined) this.#sign(opened.block, signature, events);
  }

  /** A block that came at once, outside the numbers of those that are streamed. */
  whole(content: JsonObject, events: TurnEvent[]): void {
    this.start(-1, content, events);
    this.stop(-1, events);
  }

  /** A delta of another kind than its block is passed over, as official clients do. */
  delta(index: number, delta: JsonObject, events: TurnEvent[]): void {
    const open = this.#open.get(index);
    if (open === undefined || open.kind !== kindOfDelta(delta['type'])) return;
    const { block } = open;
    switch (delta['type']) {
      case 'text_delta':
        this.#tell(block, 'text', asText(delta['text']) ?? '', events);
        break;
      case 'thinking_delta':
        this.#tell(block, 'thinking', asText(delta['thinking']) ?? '', events);
        break;
      case 'signature_delta':
        this.#sign(block, asText(delta['signature']) ?? '', events);
        break;
      case 'citations_delta': {
        const citation = readCitation(asObject(delta['citation']) ?? {});
        if (citation !== undefined) events.push({ type: 'citation', choice: 0, block, citation });
        break;
      }
      case 'input_json_delta': {
        const text = asText(delta['partial_json']) ?? '';
        if (text !== '') open.hasInput = true;
        this.#tell(block, 'input', text, events);
        break;
      }
    }
  }

  stop(index: number, events: TurnEvent[]): void {
    const open = this.#open.get(index);
    if (open === undefined) return;
    this.#open.delete(index);
    if (!open.hasInput) this.#tell(open.block, 'input', open.givenInput, events);
    events.push({ type: 'close', choice: 0, block: open.block });
  }

  closeAll(events: TurnEvent[]): void {
    for (const index of [...this.#open.keys()]) this.stop(index, events);
  }

  /** Undefined for what only the vendor's own clients can use, and for what belongs to a later block. */
  #readHead(content: JsonObject): BlockHead | undefined {
    switch (content['type']) {
      case 'text':
      case 'thinking':
        return { kind: content['type'] };
      case 'redacted_thinking': {
        const data = asText(content['data']) ?? '';
        const ofTool = unpackToolSignature(data);
        if (ofTool === null)
          return { kind: 'redacted_thinking', signature: unpackSignature(data, 'anthropic') };
        this.#signatureOfTool.set(ofTool.toolId, ofTool.signature);
        return undefined;
      }
      case 'tool_use': {
        const id = asText(content['id']) ?? '';
        const name = asText(content['name']) ?? '';
        return { kind: 'tool_use', id, name, signature: this.#signatureOfTool.get(id) };
      }
    }
    return undefined;
  }

  #tell(block: number, kind: DeltaEvent['kind'], text: string, events: TurnEvent[]): void {
    if (text === '') return;
    const said = kind === 'text' ? this.#gaps.before(block) + text : text;
    events.push({ type: 'delta', choice: 0, block, kind, text: said });
  }

  #sign(block: number, signature: string, events: TurnEvent[]): void {
    if (signature === '') return;
    events.push({ type: 'signature', choice: 0, block, signature: unpackSignature(signature, 'anthropic') });
  }
}
