/** Reads streams of the Converse API, in the frames that `frame.ts` describes, into events of the turn. */

import {
  asCount,
  asFilledText,
  asObject,
  asText,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../json/fields.ts';
import type { EventReader } from '../protocol.ts';
import { brokenFrame, type UpstreamComplaint } from '../translator.ts';
import type { BlockHead, DeltaEvent, TurnEvent } from '../turn/events.ts';
import { type Signature, unpackSignature, unpackToolSignature } from '../turn/signature.ts';
import { TextGaps } from '../turn/text-gaps.ts';
import { isTrace } from './answer.ts';
import { readCitation } from './citations.ts';
import { failedStopIn, readException } from './errors.ts';
import { readConverseStop, readConverseUsage } from './outcome.ts';

export class ConverseEventReader implements EventReader {
  complaint: UpstreamComplaint | null = null;
  isEnded = false;
  #isStarted = false;
  #hasStopped = false;
  #names: JsonObject = {};
  readonly #blocks = new BlockReader();

  /** After the reason for the end only the counts are still to come. */
  get isComplete(): boolean {
    return this.#hasStopped;
  }

  read(data: string, events: TurnEvent[]): void {
    if (data === '' || this.isEnded) return;
    const frame = tryParseJson(data);
    const [entry] = isJsonObject(frame) ? Object.entries(frame) : [];
    const payload = asObject(entry?.[1]);
    if (entry === undefined || payload === undefined) this.complaint ??= brokenFrame;
    else this.#readEvent(entry[0], payload, events);
  }

  finish(events: TurnEvent[]): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#blocks.closeAll(events);
    events.push({ type: 'end' });
  }

  #readEvent(name: string, payload: JsonObject, events: TurnEvent[]): void {
    if (!this.#isStarted && needStart.has(name)) {
      this.complaint ??= brokenFrame;
      return;
    }
    // The answer has said that it is over.
    if (this.#hasStopped && name.startsWith('contentBlock')) return;
    switch (name) {
      case 'contentBlockDelta':
        this.#blocks.delta(indexOf(payload), asObject(payload['delta']) ?? {}, events);
        break;
      case 'contentBlockStart':
        if (!this.#blocks.start(indexOf(payload), asObject(payload['start']) ?? {}, events)) {
          this.complaint ??= brokenFrame;
        }
        break;
      case 'contentBlockStop':
        this.#blocks.stop(indexOf(payload), events);
        break;
      case 'answerStart':
        this.#names = payload;
        break;
      case 'messageStart':
        this.#start(events);
        break;
      case 'messageStop':
        this.#stop(payload, events);
        break;
      case 'metadata':
        this.#end(payload, events);
        break;
      case 'exception':
        this.complaint ??= readException(payload);
        break;
    }
  }

  /** A second start would take back what the client has already been shown. */
  #start(events: TurnEvent[]): void {
    if (this.#isStarted) {
      this.complaint ??= brokenFrame;
      return;
    }
    this.#isStarted = true;
    const id = asText(this.#names['id']) ?? '';
    const model = asText(this.#names['model']) ?? '';
    events.push({ type: 'start', id, model, usage: null });
  }

  #stop(payload: JsonObject, events: TurnEvent[]): void {
    if (this.#hasStopped) return;
    this.complaint ??= failedStopIn(payload);
    if (this.complaint !== null) return;
    this.#hasStopped = true;
    this.#blocks.closeAll(events);
    events.push({ type: 'stop', choice: 0, stop: readConverseStop(payload) });
  }

  /** Counts that come before the end of the message are not the last word. */
  #end(payload: JsonObject, events: TurnEvent[]): void {
    const usage = readConverseUsage(payload['usage']);
    if (usage !== null) events.push({ type: 'usage', usage });
    if (this.#hasStopped) this.finish(events);
  }
}

const needStart: ReadonlySet<string> = new Set([
  'contentBlockStart',
  'contentBlockDelta',
  'contentBlockStop',
  'messageStop',
  'metadata',
]);

const indexOf = (payload: JsonObject): number => asCount(payload['contentBlockIndex']) ?? 0;

interface OpenBlock {
  /** Its number in the form, where blocks that nobody else knows are not counted. */
  readonly block: number;
  readonly kind: BlockHead['kind'];
}

/**
 * Only the use of a tool is announced; text and thinking begin with their first piece, and the piece says of what kind
 * its block is.
 */
class BlockReader {
  /** By the index of the API; null for a block of which nothing is passed on. */
  readonly #open = new Map<number, OpenBlock | null>();
  /** Thinking that only the vendor can read, which comes in pieces but is one thing. */
  readonly #redacted = new Map<number, string>();
  readonly #signatureOfTool = new Map<string, Signature>();
  readonly #gaps = new TextGaps();
  #count = 0;

  /** Whether the block could begin: one that is open cannot, and what was shown of it cannot be taken back. */
  start(index: number, start: JsonObject, events: TurnEvent[]): boolean {
    if (this.#open.has(index)) return false;
    const toolUse = asObject(start['toolUse']);
    if (isTrace(start)) {
      this.#gaps.passOver();
      this.#open.set(index, null);
    } else if (toolUse !== undefined) {
      const id = asText(toolUse['toolUseId']) ?? '';
      const name = asText(toolUse['name']) ?? '';
      this.#begin(index, { kind: 'tool_use', id, name, signature: this.#signatureOfTool.get(id) }, events);
    }
    return true;
  }

  delta(index: number, delta: JsonObject, events: TurnEvent[]): void {
    const text = asFilledText(delta['text']);
    if (text !== undefined) this.#tell({ index, kind: 'text', text }, events);
    const input = asFilledText(asObject(delta['toolUse'])?.['input']);
    if (input !== undefined) this.#tell({ index, kind: 'input', text: input }, events);
    const cited = asObject(delta['citation']);
    const citation = cited === undefined ? undefined : readCitation(cited);
    if (citation !== undefined) {
      const open = this.#openAs(index, 'text', events);
      if (open !== undefined) events.push({ type: 'citation', choice: 0, block: open.block, citation });
    }
    const reasoning = asObject(delta['reasoningContent']);
    if (reasoning !== undefined) this.#reason(index, reasoning, events);
  }

  stop(index: number, events: TurnEvent[]): void {
    this.#close(index, events);
    const redacted = this.#redacted.get(index);
    if (redacted === undefined) return;
    this.#redacted.delete(index);
    this.#beginRedacted(index, redacted, events);
    this.#close(index, events);
  }

  closeAll(events: TurnEvent[]): void {
    for (const index of [...this.#open.keys(), ...this.#redacted.keys()]) this.stop(index, events);
  }

  #close(index: number, events: TurnEvent[]): void {
    const open = this.#open.get(index);
    this.#open.delete(index);
    if (open != null) events.push({ type: 'close', choice: 0, block: open.block });
  }

  #reason(index: number, reasoning: JsonObject, events: TurnEvent[]): void {
    const redacted = asFilledText(reasoning['redactedContent']);
    if (redacted !== undefined) this.#redacted.set(index, (this.#redacted.get(index) ?? '') + redacted);
    const text = asFilledText(reasoning['text']);
    if (text !== undefined) this.#tell({ index, kind: 'thinking', text }, events);
    const signature = asFilledText(reasoning['signature']);
    const open = signature === undefined ? undefined : this.#openAs(index, 'thinking', events);
    if (signature === undefined || open === undefined) return;
    events.push({
      type: 'signature',
      choice: 0,
      block: open.block,
      signature: unpackSignature(signature, 'anthropic'),
    });
  }

  #tell(
    { index, kind, text }: { index: number; kind: Exclude<DeltaEvent['kind'], 'refusal'>; text: string },
    events: TurnEvent[],
  ): void {
    const open = this.#openAs(index, kind === 'input' ? 'tool_use' : kind, events);
    if (open === undefined) return;
    const said = kind === 'text' ? this.#gaps.before(open.block) + text : text;
    events.push({ type: 'delta', choice: 0, block: open.block, kind, text: said });
  }

  /** The block at the index, begun if it is not open. Undefined where nothing is passed on. */
  #openAs(index: number, kind: 'text' | 'thinking' | 'tool_use', events: TurnEvent[]): OpenBlock | undefined {
    const open = this.#open.get(index);
    if (open === null) return undefined;
    if (open?.kind === kind) return open;
    // A tool that was never named cannot be used.
    if (kind === 'tool_use') return undefined;
    if (open !== undefined) this.stop(index, events);
    return this.#begin(index, { kind }, events);
  }

  /** The signature of a tool use travels in front of it. */
  #beginRedacted(index: number, redacted: string, events: TurnEvent[]): void {
    const ofTool = unpackToolSignature(redacted);
    if (ofTool !== null) this.#signatureOfTool.set(ofTool.toolId, ofTool.signature);
    else
      this.#begin(
        index,
        { kind: 'redacted_thinking', signature: unpackSignature(redacted, 'anthropic') },
        events,
      );
  }

  #begin(index: number, head: BlockHead, events: TurnEvent[]): OpenBlock {
    const opened = { block: this.#count, kind: head.kind };
    this.#count += 1;
    this.#open.set(index, opened);
    if (head.kind !== 'text') this.#gaps.interrupt();
    events.push({ type: 'open', choice: 0, block: opened.block, head });
    return opened;
  }
}
