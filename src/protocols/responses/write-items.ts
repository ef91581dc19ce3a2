/** The writers of one streamed output item each: a message, reasoning, a tool call. */
import type { JsonObject } from '../json/fields.ts';
import type { TokenLogprob } from '../turn/answer.ts';
import type { Citation } from '../turn/citations.ts';
import type { Signature } from '../turn/signature.ts';
import { writeAnnotations } from './citations.ts';
import type { ItemPlace } from './item-place.ts';
import {
  callItem,
  messageItem,
  reasoningItem,
  refusalPart,
  type ThoughtPlace,
  textPart,
  thoughtPart,
  writeEncrypted,
} from './items.ts';
import type { CalledName } from './namespaces.ts';
import { type ResponseStatus, writeLogprobs } from './outcome.ts';

/** One item of a stream. It is opened when it is made. */
export interface ItemWriter {
  open(): string;
  /** The frame that ends it; everything in it is closed. */
  done(status: ResponseStatus): string;
  /** As it ended. */
  readonly item: JsonObject;
}

/** One block of the form within an item. */
export interface BlockWriter {
  delta(text: string, logprobs: readonly TokenLogprob[] | undefined): string;
  sign(signature: Signature): void;
  /** Of text alone. */
  cite?(citation: Citation): string;
  close(): string;
}

/** A message, with a part for each text and each refusal. */
export class MessageWriter implements ItemWriter {
  item: JsonObject;
  readonly #place: ItemPlace;
  readonly #parts: PartWriter[] = [];

  constructor(place: ItemPlace) {
    this.#place = place;
    this.item = messageItem(place.id, [], 'in_progress');
  }

  open(): string {
    return this.#place.writeItem('added', this.item);
  }

  addPart(kind: 'text' | 'refusal'): PartWriter {
    const part = new PartWriter(this.#place, { kind, index: this.#parts.length });
    this.#parts.push(part);
    return part;
  }

  done(status: ResponseStatus): string {
    this.item = messageItem(
      this.#place.id,
      this.#parts.map((part) => part.json),
      status,
    );
    return this.#place.writeItem('done', this.item);
  }
}

class PartWriter implements BlockWriter {
  readonly #place: ItemPlace;
  readonly #kind: 'text' | 'refusal';
  readonly #index: string;
  #text = '';
  readonly #logprobs: TokenLogprob[] = [];
  readonly #citations: Citation[] = [];
  #annotated = 0;

  constructor(place: ItemPlace, { kind, index }: { kind: 'text' | 'refusal'; index: number }) {
    this.#place = place;
    this.#kind = kind;
    this.#index = `,"content_index":${index}`;
  }

  get json(): JsonObject {
    return this.#kind === 'text'
      ? textPart({ text: this.#text, citations: this.#citations }, this.#logprobs)
      : refusalPart(this.#text);
  }

  open(): string {
    return this.#frame('response.content_part.added', `,"part":${JSON.stringify(this.json)}`);
  }

  delta(text: string, logprobs: readonly TokenLogprob[] | undefined): string {
    this.#text += text;
    const members = `,"delta":${JSON.stringify(text)}`;
    if (this.#kind === 'refusal') return this.#frame('response.refusal.delta', members);
    if (logprobs === undefined) return this.#frame('response.output_text.delta', `${members},"logprobs":[]`);
    this.#logprobs.push(...logprobs);
    return this.#frame(
      'response.output_text.delta',
      `${members},"logprobs":${JSON.stringify(writeLogprobs(logprobs))}`,
    );
  }

  /** What is cited by all of the text waits for its end, and so does what comes behind it. */
  cite(citation: Citation): string {
    const isFirst = this.#annotated === this.#citations.length;
    this.#citations.push(citation);
    return isFirst && citation.span !== undefined ? this.#annotate('') : '';
  }

  /** Nothing that is said here is signed. */
  sign(): void {}

  close(): string {
    const text = JSON.stringify(this.#text);
    const cited = this.#annotate(this.#text);
    const said =
      this.#kind === 'refusal'
        ? this.#frame('response.refusal.done', `,"refusal":${text}`)
        : this.#frame(
            'response.output_text.done',
            `,"text":${text},"logprobs":${JSON.stringify(writeLogprobs(this.#logprobs))}`,
          );
    return cited + said + this.#frame('response.content_part.done', `,"part":${JSON.stringify(this.json)}`);
  }

  #annotate(text: string): string {
    let frames = '';
    for (const annotation of writeAnnotations({ text, citations: this.#citations.slice(this.#annotated) })) {
      const members = `,"annotation_index":${this.#annotated},"annotation":${JSON.stringify(annotation)}`;
      frames += this.#frame('response.output_text.annotation.added', members);
      this.#annotated += 1;
    }
    return frames;
  }

  #frame(type: string, members: string): string {
    return this.#place.write(type, this.#index + members);
  }
}

const words = {
  summary: { part: 'reasoning_summary_part', text: 'reasoning_summary_text', index: ',"summary_index":0' },
  content: { part: 'content_part', text: 'reasoning_text', index: ',"content_index":0' },
} as const;

/** What the model thought, and what its vendor signed. */
export class ReasoningWriter implements ItemWriter, BlockWriter {
  item: JsonObject;
  readonly #itemPlace: ItemPlace;
  readonly #place: ThoughtPlace;
  #text: string | null;
  #encrypted: string | undefined;

  /** @param thought without an encrypted text it is shown, and signed later if at all. */
  constructor(itemPlace: ItemPlace, thought: { place: ThoughtPlace; encrypted?: string }) {
    this.#itemPlace = itemPlace;
    this.#place = thought.place;
    this.#text = thought.encrypted === undefined ? '' : null;
    this.#encrypted = thought.encrypted;
    this.item = reasoningItem({ ...thought, id: itemPlace.id, text: null, encrypted: thought.encrypted });
  }

  open(): string {
    const added = this.#itemPlace.writeItem('added', this.item);
    return this.#text === null
      ? added
      : added + this.#frame(`${words[this.#place].part}.added`, this.#part());
  }

  delta(text: string): string {
    this.#text = (this.#text ?? '') + text;
    return this.#frame(`${words[this.#place].text}.delta`, `,"delta":${JSON.stringify(text)}`);
  }

  sign(signature: Signature): void {
    this.#encrypted = writeEncrypted(signature);
  }

  close(): string {
    if (this.#text === null) return '';
    const { text, part } = words[this.#place];
    return (
      this.#frame(`${text}.done`, `,"text":${JSON.stringify(this.#text)}`) +
      this.#frame(`${part}.done`, this.#part())
    );
  }

  done(): string {
    this.item = reasoningItem({
      id: this.#itemPlace.id,
      place: this.#place,
      text: this.#text,
      encrypted: this.#encrypted,
    });
    return this.#itemPlace.writeItem('done', this.item);
  }

  #part(): string {
    return `,"part":${JSON.stringify(thoughtPart(this.#text ?? '', this.#place))}`;
  }

  #frame(type: string, members: string): string {
    return this.#itemPlace.write(`response.${type}`, words[this.#place].index + members);
  }
}

export interface CallHead {
  readonly callId: string;
  readonly called: CalledName;
  readonly custom: boolean;
}

/** A tool call, function or free text. */
export class CallWriter implements ItemWriter, BlockWriter {
  item: JsonObject;
  readonly #place: ItemPlace;
  readonly #head: CallHead;
  #input = '';

  constructor(place: ItemPlace, head: CallHead) {
    this.#place = place;
    this.#head = head;
    this.item = this.#write('in_progress');
  }

  open(): string {
    return this.#place.writeItem('added', this.item);
  }

  delta(text: string): string {
    this.#input += text;
    return text === '' ? '' : this.#frameDelta(text);
  }

  /** The signature of a call stands in front of it. */
  sign(): void {}

  close(): string {
    const { custom } = this.#head;
    // Clients parse the arguments, and nothing is not JSON.
    const rest = !custom && this.#input === '' ? this.delta('{}') : '';
    const input = JSON.stringify(this.#input);
    return custom
      ? this.#place.write('response.custom_tool_call_input.done', `,"input":${input}`)
      : rest + this.#place.write('response.function_call_arguments.done', `,"arguments":${input}`);
  }

  done(status: ResponseStatus): string {
    this.item = this.#write(status);
    return this.#place.writeItem('done', this.item);
  }

  #frameDelta(text: string): string {
    const type = this.#head.custom ? 'custom_tool_call_input' : 'function_call_arguments';
    return this.#place.write(`response.${type}.delta`, `,"delta":${JSON.stringify(text)}`);
  }

  #write(status: ResponseStatus): JsonObject {
    return callItem({ id: this.#place.id, ...this.#head, input: this.#input, status });
  }
}
