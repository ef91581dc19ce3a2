/** Instructions and input items, with their content parts, into system text and messages of the form. */
import { asFilledText, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { CacheMark, DocumentBlock, ImageBlock, TextBlock, ToolResultBlock } from '../turn/blocks.ts';
import { decodeText, readUrl } from '../turn/media.ts';
import { cannotRead } from '../turn/refuse.ts';
import { MessageList, type TurnRequest } from '../turn/request.ts';
import { readAssistantItem, readSaid, ToolSignatures } from './items.ts';

/** Traces of tools that the vendor ran; nobody else can make use of them. */
const traces: ReadonlySet<unknown> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_list_tools',
  'mcp_call',
  'tool_search_call',
  'tool_search_output',
]);

export function readConversation(json: JsonObject): Pick<TurnRequest, 'system' | 'messages'> {
  const reader = new ItemReader(readTextParts(json['instructions']));
  const said = asFilledText(json['input']);
  if (said !== undefined) reader.read({ role: 'user', content: said });
  for (const item of asObjects(json['input'])) reader.read(item);
  return { system: reader.system, messages: reader.messages };
}

class ItemReader {
  readonly #system: TextBlock[];
  readonly #list = new MessageList();
  readonly #signatures = new ToolSignatures();

  constructor(instructions: readonly TextBlock[]) {
    this.#system = [...instructions];
  }

  get system(): TurnRequest['system'] {
    return this.#system;
  }

  get messages(): TurnRequest['messages'] {
    return this.#list.messages;
  }

  read(item: JsonObject): void {
    const type = item['type'] ?? 'message';
    if (type === 'message') {
      this.#readMessage(item);
    } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      this.#list.user([readToolResult(item)]);
    } else if (type === 'item_reference') {
      throw cannotRead(
        'input',
        'an item_reference is only known to the provider that made the item; send the item itself',
      );
    } else if (type !== 'additional_tools' && !traces.has(type)) {
      const blocks = readAssistantItem(item, this.#signatures);
      if (blocks === null) {
        throw cannotRead('input', `items of the type ${String(type)} are not supported for this model`);
      }
      this.#list.assistant(blocks);
    }
  }

  #readMessage(item: JsonObject): void {
    const content = item['content'];
    switch (item['role']) {
      case 'user':
        this.#list.user(readInputParts(content));
        break;
      case 'assistant':
        this.#list.assistant(readSaid(content));
        break;
      case 'system':
      case 'developer':
        if (this.#list.isEmpty) this.#system.push(...readTextParts(content));
        else this.#list.system(readTextParts(content));
        break;
      default:
        throw cannotRead('input', `the role ${String(item['role'])} is not supported for this model`);
    }
  }
}

function readToolResult(item: JsonObject): ToolResultBlock {
  const toolUseId = asText(item['call_id']);
  if (toolUseId === undefined) throw cannotRead('input', `a ${String(item['type'])} has no call_id`);
  return { type: 'tool_result', toolUseId, content: readInputParts(item['output']), isError: false };
}

export type InputBlock = TextBlock | ImageBlock | DocumentBlock;

/** Of a message, or of the output of a tool. */
function readInputParts(content: unknown): readonly InputBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return asObjects(content).flatMap((part) => readInputPart(part) ?? []);
}

function readTextParts(content: unknown): readonly TextBlock[] {
  return readInputParts(content).filter((block) => block.type === 'text');
}

function readInputPart(part: JsonObject): InputBlock | undefined {
  const cache = readCacheMark(part);
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text': {
      const text = asFilledText(part['text']);
      return text === undefined ? undefined : { type: 'text', text, cache };
    }
    case 'input_image':
      return { ...readImage(part), cache };
    case 'input_file':
      return { ...readFile(part), cache };
    default:
      throw cannotRead(
        'input',
        `content of the type ${String(part['type'])} is not supported for this model`,
      );
  }
}

/** The protocol's marks have lifetimes of their own, which no other protocol has. */
function readCacheMark(part: JsonObject): CacheMark | undefined {
  return asObject(part['prompt_cache_breakpoint']) === undefined ? undefined : {};
}

function readImage(part: JsonObject): ImageBlock {
  const detail = asText(part['detail']);
  const id = asFilledText(part['file_id']);
  if (id !== undefined) return { type: 'image', source: { kind: 'file', id, vendor: 'openai' }, detail };
  const url = asFilledText(part['image_url']);
  if (url === undefined) throw cannotRead('input', 'an input_image needs image_url or file_id');
  return { type: 'image', source: readUrl(url), detail };
}

function readFile(part: JsonObject): InputBlock {
  const title = asFilledText(part['filename']);
  const id = asFilledText(part['file_id']);
  if (id !== undefined) {
    return { type: 'document', source: { kind: 'file', id, vendor: 'openai' }, title };
  }
  const url = asFilledText(part['file_url']);
  if (url !== undefined) return readSource(readUrl(url), title);
  const data = asFilledText(part['file_data']);
  if (data === undefined) throw cannotRead('input', 'an input_file needs file_data, file_url or file_id');
  if (data.startsWith('data:')) return readSource(readUrl(data), title);
  return { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data }, title };
}

function readSource(source: ReturnType<typeof readUrl>, title: string | undefined): InputBlock {
  if (source.kind === 'url') return { type: 'document', source, title };
  if (source.mediaType.startsWith('image/')) return { type: 'image', source };
  if (!source.mediaType.startsWith('text/')) return { type: 'document', source, title };
  return { type: 'document', source: { kind: 'text', text: decodeText(source.data) }, title };
}
