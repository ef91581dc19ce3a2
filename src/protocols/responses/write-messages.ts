/** System text and messages of the form as instructions and input items, with their content parts. */
import type { JsonObject } from '../json/fields.ts';
import type {
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  RefusalBlock,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from '../turn/blocks.ts';
import { announceDocument, frameDocument } from '../turn/document-text.ts';
import { writeUrl } from '../turn/media.ts';
import { nothingSaid, refuse } from '../turn/refuse.ts';
import type { TurnRequest } from '../turn/request.ts';
import { saysJson } from '../turn/schema.ts';
import { refusalPart, writeEncrypted } from './items.ts';

interface WrittenConversation {
  readonly instructions: string | undefined;
  readonly input: readonly JsonObject[];
}

/**
 * Instructions in several pieces, and those of a request that has nothing else, are an item of the input. So are those
 * that alone speak of the JSON that is to be written: the upstream looks for the word in its input.
 */
export function writeConversation({ system, messages, responseFormat }: TurnRequest): WrittenConversation {
  const writer = new ItemWriter();
  for (const message of messages) {
    if (message.role === 'user') writer.user(message.content);
    else if (message.role === 'assistant') writer.assistant(message.content);
    else writer.items.push({ role: 'system', content: writeInputParts(message.content) });
  }
  const { items } = writer;
  const [first] = system;
  if (first === undefined) {
    if (items.length === 0) throw nothingSaid();
    return { instructions: undefined, input: items };
  }
  const isHeard = responseFormat?.type !== 'json' || saysJson({ system: [], messages });
  if (system.length === 1 && items.length > 0 && isHeard) return { instructions: first.text, input: items };
  return { instructions: undefined, input: [{ role: 'system', content: writeInputParts(system) }, ...items] };
}

class ItemWriter {
  readonly items: JsonObject[] = [];
  /** Results of free-text tools are items of a type of their own. */
  readonly #customCalls = new Set<string>();

  user(blocks: readonly UserBlock[]): void {
    const shown: ShownBlock[] = [];
    for (const block of blocks) {
      if (block.type === 'tool_result') this.#result(block);
      else shown.push(block);
    }
    if (shown.length > 0) this.items.push({ role: 'user', content: writeInputParts(shown) });
  }

  assistant(blocks: readonly AssistantBlock[]): void {
    let said: JsonObject[] | null = null;
    for (const block of blocks) {
      if (block.type === 'text' || block.type === 'refusal') {
        if (said === null) {
          said = [];
          this.items.push({ type: 'message', role: 'assistant', content: said });
        }
        said.push(writeSaid(block));
        continue;
      }
      const item = block.type === 'tool_use' ? this.#call(block) : writeReasoning(block);
      if (item === null) continue;
      this.items.push(item);
      said = null;
    }
  }

  #call({ id, name, input, custom }: ToolUseBlock): JsonObject {
    if (custom !== true) {
      return { type: 'function_call', call_id: id, name, arguments: input === '' ? '{}' : input };
    }
    this.#customCalls.add(id);
    return { type: 'custom_tool_call', call_id: id, name, input };
  }

  #result({ toolUseId, content, isError }: ToolResultBlock): void {
    const isCustom = this.#customCalls.has(toolUseId);
    this.items.push({
      type: isCustom ? 'custom_tool_call_output' : 'function_call_output',
      call_id: toolUseId,
      output: writeInputParts(isError ? markError(content) : content),
    });
  }
}

function writeSaid({ type, text }: TextBlock | RefusalBlock): JsonObject {
  return type === 'text' ? { type: 'output_text', text, annotations: [] } : refusalPart(text);
}

/** The protocol has no error mark; without one the model would take the text for a success. */
function markError(content: ToolResultBlock['content']): ToolResultBlock['content'] {
  const at = content.findIndex((part) => part.type === 'text');
  const first = content[at];
  if (first?.type !== 'text') return [{ type: 'text', text: 'Error: no details' }, ...content];
  return content.with(at, { ...first, text: `Error: ${first.text}` });
}

/**
 * Thinking is taken back only as what the vendor itself encrypted. That is bound to the id that the item had; without
 * an id it is taken, with another one it is refused.
 */
function writeReasoning(
  block: Extract<AssistantBlock, { type: 'thinking' | 'redacted_thinking' }>,
): JsonObject | null {
  if (block.signature?.origin !== 'openai') return null;
  const summary = block.type === 'thinking' ? [{ type: 'summary_text', text: block.text }] : [];
  return { type: 'reasoning', summary, encrypted_content: writeEncrypted(block.signature) };
}

export type ShownBlock = Exclude<UserBlock, ToolResultBlock>;

/** A plain string where that says it all. */
function writeInputParts(blocks: readonly ShownBlock[]): string | readonly JsonObject[] {
  const [first] = blocks;
  if (first === undefined) return '';
  if (blocks.length === 1 && first.type === 'text') return first.text;
  return blocks.flatMap(writePart);
}

function writePart(block: ShownBlock): readonly JsonObject[] {
  switch (block.type) {
    case 'text':
      return [writeText(block.text)];
    case 'image':
      return [writeImage(block)];
    case 'document':
      return writeDocument(block);
    case 'audio':
      throw refuse('audio input', 'messages');
  }
}

const writeText = (text: string): JsonObject => ({ type: 'input_text', text });

function writeImage({ source, detail }: ImageBlock): JsonObject {
  if (source.kind !== 'file') return { type: 'input_image', image_url: writeUrl(source), detail };
  return { type: 'input_image', file_id: ownFile(source), detail };
}

function writeDocument(block: DocumentBlock): readonly JsonObject[] {
  const { source, title, context } = block;
  const announce = () => announceDocument(block).map(writeText);
  switch (source.kind) {
    case 'base64': {
      const filename = title ?? `document.${source.mediaType.slice(source.mediaType.indexOf('/') + 1)}`;
      const written = { type: 'input_file', filename, file_data: writeUrl(source) };
      return context === undefined ? [written] : [...announce(), written];
    }
    // A name beside an address or an id of a file is refused.
    case 'url':
      return [...announce(), { type: 'input_file', file_url: source.url }];
    case 'file':
      return [...announce(), { type: 'input_file', file_id: ownFile(source) }];
    case 'text':
      return [writeText(frameDocument(block, source.text))];
    case 'content': {
      const texts = source.content.filter((part): part is TextBlock => part.type === 'text');
      const images = source.content.filter((part): part is ImageBlock => part.type === 'image');
      const text = texts.map((part) => part.text).join('\n');
      return [writeText(frameDocument(block, text)), ...images.map(writeImage)];
    }
  }
}

function ownFile({ id, vendor }: { readonly id: string; readonly vendor: string }): string {
  if (vendor !== 'openai') throw refuse('a file by an id of another vendor', 'messages');
  return id;
}
