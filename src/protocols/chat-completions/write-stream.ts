/** Events as a chat completion stream. Frames are put together as text: only what was generated needs escaping. */
import type { Clock } from '../../base/clock.ts';
import type { TokenUsage } from '../../base/token-usage.ts';
import type { AssistantBlock, ThinkingBlock } from '../turn/blocks.ts';
import type { BlockHead, DeltaEvent, EventWriter, RescueNote, TurnEvent } from '../turn/events.ts';
import { SaidAndCited } from './citations.ts';
import { writeImages } from './images.ts';
import { writeChatStop, writeChatUsage, writeLogprobs } from './outcome.ts';
import { writeCallSignature, writeReasoningDetails } from './reasoning-details.ts';
import { textBreak } from './write-messages.ts';

export class ChatEventWriter implements EventWriter {
  readonly #clock: Clock;
  readonly #wantsUsage: boolean;
  readonly #isLegacy: boolean;
  readonly #choices = new Map<number, ChoiceWriter>();
  /** All of a frame up to its choices. */
  #head = '';
  #tail = ']}\n\n';
  #usage: TokenUsage | null = null;

  constructor(options: { clock: Clock; wantsUsage: boolean; isLegacy: boolean }) {
    this.#isLegacy = options.isLegacy;
    this.#clock = options.clock;
    this.#wantsUsage = options.wantsUsage;
    if (options.wantsUsage) this.#tail = '],"usage":null}\n\n';
  }

  write(event: TurnEvent): string {
    switch (event.type) {
      case 'start': {
        const created = event.createdS ?? Math.floor(this.#clock.nowMs() / 1000);
        this.#head = `data: {"id":${JSON.stringify(event.id)},"object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(event.model)},"choices":[`;
        this.#usage = event.usage;
        return '';
      }
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'end':
        return `${this.#usageFrame()}data: [DONE]\n\n`;
      default:
        return this.#choice(event.choice).write(event);
    }
  }

  /** In a chunk that brings nothing. */
  note(note: RescueNote): string {
    const told = `],"sluice":${JSON.stringify({ rescue: note })}`;
    const empty = '{"index":0,"delta":{},"logprobs":null,"finish_reason":null}';
    return this.#head + empty + told + this.#tail.slice(1);
  }

  #choice(index: number): ChoiceWriter {
    let writer = this.#choices.get(index);
    if (writer === undefined) {
      const head = `${this.#head}{"index":${index},"delta":`;
      writer = new ChoiceWriter({ head, tail: this.#tail, isLegacy: this.#isLegacy });
      this.#choices.set(index, writer);
    }
    return writer;
  }

  #usageFrame(): string {
    if (!this.#wantsUsage || this.#usage === null) return '';
    return `${this.#head}],"usage":${JSON.stringify(writeChatUsage(this.#usage))}}\n\n`;
  }
}

type ChoiceEvent = Extract<TurnEvent, { choice: number }>;

interface OpenCall {
  readonly index: number;
  readonly custom: boolean;
  hasInput: boolean;
}

interface ChoiceFrame {
  /** All of a frame up to its delta. */
  readonly head: string;
  readonly tail: string;
  /** Whether a call is told as `function_call`. */
  readonly isLegacy: boolean;
}

/** One choice: what it opened, and what must be said again or at its end. */
export class ChoiceWriter {
  readonly #head: string;
  readonly #tail: string;
  readonly #isLegacy: boolean;
  readonly #calls = new Map<number, OpenCall>();
  /** Thinking so far: the signature must come with all the text that it signs. */
  readonly #thinking = new Map<number, ThinkingBlock>();
  readonly #details: AssistantBlock[] = [];
  /** How many of them, and in how many frames. */
  #toldDetails = 0;
  #detailFrames = 0;
  #callCount = 0;
  #hasRole = false;
  #hasText = false;
  /** Something else has begun since the last text. */
  #isApart = false;
  #hasRefusal = false;
  #imageCount = 0;
  readonly #said = new SaidAndCited();

  constructor({ head, tail, isLegacy }: ChoiceFrame) {
    this.#head = head;
    this.#tail = tail;
    this.#isLegacy = isLegacy;
  }

  write(event: ChoiceEvent): string {
    switch (event.type) {
      case 'open':
        return this.#open(event.block, event.head);
      case 'delta':
        return this.#delta(event);
      case 'signature': {
        const thinking = this.#thinking.get(event.block);
        if (thinking !== undefined)
          this.#thinking.set(event.block, { ...thinking, signature: event.signature });
        return '';
      }
      case 'citation':
        this.#said.cite(event.block, event.citation);
        return '';
      case 'image': {
        const images = writeImages([event.image], this.#imageCount);
        this.#imageCount += 1;
        return this.#role('null') + this.#frame(`{"images":${JSON.stringify(images)}}`);
      }
      case 'close':
        return this.#close(event.block);
      case 'stop':
        return this.#stop(writeChatStop(event.stop, this.#hasRefusal));
    }
  }

  #open(block: number, head: BlockHead): string {
    this.#isApart = this.#hasText && (this.#isApart || head.kind !== 'text');
    switch (head.kind) {
      case 'text':
        return this.#role('""');
      case 'thinking':
        this.#thinking.set(block, { type: 'thinking', text: '' });
        return this.#role('null');
      case 'refusal':
        this.#hasRefusal = true;
        return this.#role('null');
      case 'redacted_thinking':
        this.#details.push({ type: 'redacted_thinking', signature: head.signature });
        return this.#role('null') + this.#tellDetails();
      case 'tool_use':
        return this.#openCall(block, head);
    }
  }

  #openCall(block: number, head: Extract<BlockHead, { kind: 'tool_use' }>): string {
    const { id, name, custom, signature } = head;
    const call: OpenCall = { index: this.#callCount, custom: custom === true, hasInput: false };
    this.#callCount += 1;
    this.#calls.set(block, call);
    let details = '';
    if (signature !== undefined) {
      this.#details.push({ type: 'tool_use', id, name, input: '', signature });
      details = this.#tellDetails();
    }
    const called = call.custom
      ? `"type":"custom","custom":{"name":${JSON.stringify(name)},"input":""}`
      : `"type":"function","function":{"name":${JSON.stringify(name)},"arguments":""}`;
    const extra = writeCallSignature(signature);
    const signed = extra === undefined ? '' : `,"extra_content":${JSON.stringify(extra)}`;
    if (this.#isLegacy) return this.#openFunction(call, name);
    const opening = `{"tool_calls":[{"index":${call.index},"id":${JSON.stringify(id)},${called}${signed}}]}`;
    return this.#role('null') + details + this.#frame(opening);
  }

  #delta(event: DeltaEvent): string {
    const text = JSON.stringify(event.text);
    switch (event.kind) {
      case 'text':
        return this.#say(event);
      case 'refusal':
        return this.#frame(`{"refusal":${text}}`);
      case 'thinking': {
        const thinking = this.#thinking.get(event.block);
        if (thinking !== undefined) {
          this.#thinking.set(event.block, { ...thinking, text: thinking.text + event.text });
        }
        return this.#frame(`{"reasoning_content":${text}}`);
      }
      case 'input': {
        const call = this.#calls.get(event.block);
        if (call === undefined || event.text === '') return '';
        call.hasInput = true;
        return this.#input(call, text);
      }
    }
  }

  /** The spelling has a place for one call. */
  #openFunction({ index }: OpenCall, name: string): string {
    if (index > 0) return '';
    const called = `{"function_call":{"name":${JSON.stringify(name)},"arguments":""}}`;
    return this.#role('null') + this.#frame(called);
  }

  /** Texts that had something else between them are kept apart. */
  #say({ block, text, logprobs }: DeltaEvent): string {
    const before = this.#isApart ? textBreak : '';
    this.#said.say(block, text, before);
    this.#isApart = false;
    this.#hasText = true;
    return this.#frame(`{"content":${JSON.stringify(before + text)}}`, logprobs);
  }

  #input(call: OpenCall, text: string): string {
    if (this.#isLegacy) {
      return call.index > 0 ? '' : this.#frame(`{"function_call":{"arguments":${text}}}`);
    }
    const called = call.custom ? `"custom":{"input":${text}}` : `"function":{"arguments":${text}}`;
    return this.#frame(`{"tool_calls":[{"index":${call.index},${called}}]}`);
  }

  #close(block: number): string {
    const call = this.#calls.get(block);
    // Clients parse the arguments, and nothing is not JSON.
    if (call !== undefined) return call.hasInput || call.custom ? '' : this.#input(call, '"{}"');
    const thinking = this.#thinking.get(block);
    if (thinking === undefined) return '';
    this.#thinking.delete(block);
    this.#details.push(thinking);
    return thinking.signature === undefined ? '' : this.#tellDetails();
  }

  #stop(reason: string): string {
    const before = this.#role('null') + this.#tellDetailsAgain() + this.#tellAnnotations();
    const told = this.#isLegacy && reason === 'tool_calls' ? 'function_call' : reason;
    return `${before}${this.#head}{},"logprobs":null,"finish_reason":"${told}"}${this.#tail}`;
  }

  #tellAnnotations(): string {
    const annotations = this.#said.write();
    return annotations.length === 0 ? '' : this.#frame(`{"annotations":${JSON.stringify(annotations)}}`);
  }

  /** Each in its place, and under an index of its own: clients join the strings of what comes under one index again. */
  #tellDetails(): string {
    const details = writeReasoningDetails(this.#details.slice(this.#toldDetails), this.#toldDetails);
    this.#toldDetails = this.#details.length;
    this.#detailFrames += 1;
    return this.#frameDetails(details);
  }

  /**
   * All of them, for clients that keep the last list of a field that they do not know, as the official one for Node does.
   * Those that put lists together have each twice, and no other.
   */
  #tellDetailsAgain(): string {
    if (this.#detailFrames < 2) return '';
    const told = this.#details.slice(0, this.#toldDetails);
    return this.#frameDetails(writeReasoningDetails(told, told.length));
  }

  #frameDetails(details: ReturnType<typeof writeReasoningDetails>): string {
    return details === undefined ? '' : this.#frame(`{"reasoning_details":${JSON.stringify(details)}}`);
  }

  #role(content: string): string {
    if (this.#hasRole) return '';
    this.#hasRole = true;
    return this.#frame(`{"role":"assistant","content":${content},"refusal":null}`);
  }

  #frame(delta: string, logprobs?: DeltaEvent['logprobs']): string {
    const written = logprobs === undefined ? 'null' : JSON.stringify(writeLogprobs(logprobs));
    return `${this.#head}${delta},"logprobs":${written},"finish_reason":null}${this.#tail}`;
  }
}
