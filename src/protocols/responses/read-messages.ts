/** Instructions and input items into system text and messages of the form. */
import { asFilledText, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { TextBlock, ToolResultBlock } from '../turn/blocks.ts';
import { MessageList } from '../turn/message-list.ts';
import { cannotRead } from '../turn/refuse.ts';
import type { TurnRequest } from '../turn/request.ts';
import { readAssistantItem, readSaid } from './read-assistant.ts';
import { readInputParts, readTextParts } from './read-parts.ts';
import { ToolSignatures } from './signature.ts';

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
        if (this.#list.messages.length === 0) this.#system.push(...readTextParts(content));
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
