/** Writes the turn's answer as the Converse API would send it, whole and streamed, so that tests can read it back. */
import type { TokenUsage } from '../../../base/token-usage.ts';
import { isJsonObject, type JsonObject } from '../../json/fields.ts';
import { tryParseSpelled } from '../../json/spelling.ts';
import type { Stop, TurnAnswer } from '../../turn/answer.ts';
import type { AssistantBlock } from '../../turn/blocks.ts';
import type { BlockHead, DeltaEvent, EventWriter, TurnEvent } from '../../turn/events.ts';
import { argumentsOf, wrapping } from '../../turn/free-text/as-function.ts';
import { packSignature, packToolSignature } from '../../turn/signature.ts';
import { type AnswerNames, converseFrame } from '../frame.ts';

/** The protocol has one choice. */
export function writeConverseAnswer({ id, model, choices, usage }: TurnAnswer): string {
  const [choice] = choices;
  return JSON.stringify({
    id,
    model,
    output: { message: { role: 'assistant', content: writeBlocks(choice?.content ?? []) } },
    ...writeConverseStop(choice?.stop ?? { reason: 'end' }),
    usage: usage === null ? undefined : writeConverseUsage(usage),
  });
}

/** A signature of a tool use is a block of its own in front of it. */
function writeBlocks(content: readonly AssistantBlock[]): readonly JsonObject[] {
  return content.flatMap((block) => {
    const written = writeBlock(block);
    if (block.type !== 'tool_use' || block.signature === undefined) return [written];
    return [redacted(packToolSignature({ toolId: block.id, signature: block.signature })), written];
  });
}

function writeBlock(block: AssistantBlock): JsonObject {
  switch (block.type) {
    case 'text':
    case 'refusal':
      return { text: block.text };
    case 'thinking': {
      const signature =
        block.signature === undefined ? undefined : packSignature(block.signature, 'anthropic');
      return { reasoningContent: { reasoningText: { text: block.text, signature } } };
    }
    case 'redacted_thinking':
      return redacted(packSignature(block.signature, 'anthropic'));
    case 'tool_use':
      return { toolUse: { toolUseId: block.id, name: block.name, input: writeInput(argumentsOf(block)) } };
  }
}

/** The input is an object; what is none stands in one. */
function writeInput(input: string): JsonObject {
  const value: unknown = input === '' ? {} : tryParseSpelled(input);
  return isJsonObject(value) ? value : { INVALID_JSON: input };
}

const words = {
  end: 'end_turn',
  max_tokens: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_use',
  pause: 'end_turn',
  refusal: 'content_filtered',
  context_window: 'model_context_window_exceeded',
} as const satisfies Record<Stop['reason'], string>;

function writeConverseStop({ reason, sequence }: Stop): JsonObject {
  return {
    stopReason: words[reason],
    additionalModelResponseFields:
      sequence === undefined ? undefined : { delta: { stop_sequence: sequence } },
  };
}

function writeConverseUsage(usage: TokenUsage): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = usage;
  const cacheWriteTokens = cacheWrite5mTokens + cacheWrite1hTokens;
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens,
    cacheReadInputTokens: cacheReadTokens,
    cacheWriteInputTokens: cacheWriteTokens,
    cacheDetails: [
      { ttl: '1h', inputTokens: cacheWrite1hTokens },
      { ttl: '5m', inputTokens: cacheWrite5mTokens },
    ].filter((detail) => detail.inputTokens > 0),
  };
}

export class ConverseEventWriter implements EventWriter {
  readonly #blocks = new BlockWriter();
  #stop: Stop = { reason: 'end' };
  #usage: TokenUsage | null = null;

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
      case 'image':
        return '';
      case 'end':
        return this.#end();
      default:
        return event.choice === 0 ? this.#blocks.write(event) : '';
    }
  }

  #start({ id, model, usage }: Extract<TurnEvent, { type: 'start' }>): string {
    this.#usage = usage;
    return startFrame({ id, model }) + converseFrame('messageStart', '{"role":"assistant"}');
  }

  #end(): string {
    const usage = this.#usage === null ? undefined : writeConverseUsage(this.#usage);
    return (
      converseFrame('messageStop', JSON.stringify(writeConverseStop(this.#stop))) +
      converseFrame('metadata', JSON.stringify({ usage }))
    );
  }
}

function startFrame(names: AnswerNames): string {
  return converseFrame('answerStart', JSON.stringify(names));
}

type ToolHead = Extract<BlockHead, { kind: 'tool_use' }>;

class BlockWriter {
  readonly #indexes = new Map<number, number>();
  /** Calls with free text, which stands in a JSON string here. */
  readonly #freeTexts = new Set<number>();
  #count = 0;

  write(event: Extract<TurnEvent, { block: number }>): string {
    if (event.type === 'open') return this.#open(event.block, event.head);
    const contentBlockIndex = this.#indexes.get(event.block) ?? 0;
    switch (event.type) {
      case 'delta':
        return delta(contentBlockIndex, this.#writeDelta(event));
      case 'citation':
        return '';
      case 'signature': {
        const signature = packSignature(event.signature, 'anthropic');
        return delta(contentBlockIndex, { reasoningContent: { signature } });
      }
      case 'close':
        return (
          (this.#freeTexts.has(event.block) ? delta(contentBlockIndex, input(wrapping.end)) : '') +
          stop(contentBlockIndex)
        );
    }
  }

  /** Text and thinking begin with their first piece. */
  #open(block: number, head: BlockHead): string {
    switch (head.kind) {
      case 'text':
      case 'refusal':
      case 'thinking':
        this.#take(block);
        return '';
      case 'redacted_thinking':
        return delta(this.#take(block), redacted(packSignature(head.signature, 'anthropic')));
      case 'tool_use':
        return this.#openTool(block, head);
    }
  }

  /** A signature of the tool use is a block of its own in front of it. */
  #openTool(block: number, { id, name, signature, custom }: ToolHead): string {
    let out = '';
    if (signature !== undefined) {
      const index = this.#next();
      out = delta(index, redacted(packToolSignature({ toolId: id, signature }))) + stop(index);
    }
    const contentBlockIndex = this.#take(block);
    const start = { start: { toolUse: { toolUseId: id, name } }, contentBlockIndex };
    out += converseFrame('contentBlockStart', JSON.stringify(start));
    if (custom !== true) return out;
    this.#freeTexts.add(block);
    return out + delta(contentBlockIndex, input(wrapping.start));
  }

  #writeDelta({ block, kind, text }: DeltaEvent): JsonObject {
    switch (kind) {
      case 'text':
      case 'refusal':
        return { text };
      case 'thinking':
        return { reasoningContent: { text } };
      case 'input':
        return input(this.#freeTexts.has(block) ? wrapping.piece(text) : text);
    }
  }

  #take(block: number): number {
    const index = this.#next();
    this.#indexes.set(block, index);
    return index;
  }

  #next(): number {
    const index = this.#count;
    this.#count += 1;
    return index;
  }
}

const input = (piece: string): JsonObject => ({ toolUse: { input: piece } });

const redacted = (redactedContent: string): JsonObject => ({ reasoningContent: { redactedContent } });

function delta(contentBlockIndex: number, change: JsonObject): string {
  return converseFrame('contentBlockDelta', JSON.stringify({ delta: change, contentBlockIndex }));
}

function stop(contentBlockIndex: number): string {
  return converseFrame('contentBlockStop', JSON.stringify({ contentBlockIndex }));
}
