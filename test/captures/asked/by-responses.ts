/** What a request of the Responses protocol asks for. */
import { asObject, asObjects, asText, type JsonObject } from '../../../src/protocols/json/fields.ts';
import {
  type Asked,
  type AskedBlock,
  type AskedFormat,
  type AskedTool,
  Conversation,
  customTool,
  effortOf,
  functionTool,
  known,
  openaiFieldsOf,
  place,
  textBlock,
  textsOf,
  trace,
  vendorTool,
} from './asked.ts';
import { readArguments } from './read-arguments.ts';

export function askedByResponses(json: JsonObject): Asked {
  const conversation = new Conversation();
  conversation.instruct(...textsOf(json['instructions'] ?? []));
  const { input } = json;
  if (typeof input === 'string') conversation.say('user', textBlock(input));
  for (const item of asObjects(input)) readItem(conversation, item);
  // Some items bring tools along in the middle of the conversation.
  const brought = asObjects(input).flatMap((item) => asObjects(item['tools']));
  const include = Array.isArray(json['include']) ? json['include'] : [];
  return {
    system: conversation.system,
    messages: conversation.messages,
    tools: [...asObjects(json['tools']), ...brought].flatMap(readTools),
    toolChoice: readChoice(json['tool_choice']),
    parallel: json['parallel_tool_calls'] !== false,
    maxOutputTokens: json['max_output_tokens'],
    stop: [],
    temperature: json['temperature'],
    topP: json['top_p'],
    topK: undefined,
    seed: undefined,
    frequencyPenalty: undefined,
    presencePenalty: undefined,
    format: readFormat(asObject(asObject(json['text'])?.['format'])),
    reasoning: effortOf(asObject(json['reasoning'])?.['effort']),
    choices: undefined,
    logprobs: include.includes('message.output_text.logprobs')
      ? (json['top_logprobs'] ?? 0)
      : json['top_logprobs'],
    user: json['safety_identifier'] ?? json['user'],
    stream: json['stream'] === true,
    openai: openaiFieldsOf(json),
  };
}

function readItem(conversation: Conversation, item: JsonObject): void {
  const { role } = item;
  const type = asText(item['type']) ?? 'message';
  if (type === 'message') {
    if (role === 'system' || role === 'developer') conversation.instruct(...textsOf(item['content']));
    else conversation.say(String(role), ...readParts(item['content']));
  } else if (type.endsWith('call_output') && type !== 'computer_call_output') {
    const result = { isError: false, content: readParts(item['output']) };
    conversation.say('user', conversation.result(item['call_id'], undefined, result));
  } else if (type !== 'additional_tools') conversation.say('assistant', readSpoken(conversation, item));
}

function readSpoken(conversation: Conversation, item: JsonObject): AskedBlock {
  const { name } = item;
  switch (item['type']) {
    case 'function_call':
      return conversation.call(item['call_id'], { name, input: readArguments(item['arguments']) });
    case 'custom_tool_call':
      return conversation.call(item['call_id'], { name, input: item['input'] });
    case 'reasoning': {
      const texts = [...asObjects(item['summary']), ...asObjects(item['content'])].map(({ text }) => text);
      const signature = item['encrypted_content'] ?? undefined;
      return { type: 'thinking', text: texts.join('\n\n'), signature };
    }
    default:
      return trace(item['type']);
  }
}

function readParts(content: unknown): AskedBlock[] {
  return typeof content === 'string' ? [textBlock(content)] : asObjects(content).map(readPart);
}

function readPart(part: JsonObject): AskedBlock {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
      return textBlock(part['text']);
    case 'refusal':
      return { type: 'refusal', text: String(part['refusal']) };
    case 'input_image': {
      const source = part['file_id'] === undefined ? place(part['image_url']) : `file:${part['file_id']}`;
      return { type: 'image', source, detail: part['detail'] };
    }
    case 'input_file': {
      const isFile = part['file_id'] !== undefined;
      const source = isFile ? `file:${part['file_id']}` : place(part['file_url'] ?? part['file_data']);
      return { type: 'document', source, title: part['filename'], context: undefined };
    }
    default:
      return trace(part['type']);
  }
}

function readTools(tool: JsonObject): AskedTool[] {
  if (tool['type'] === 'namespace') return asObjects(tool['tools']).flatMap(readTools);
  if (tool['type'] === 'custom') return [customTool(tool)];
  return [tool['type'] === 'function' ? functionTool(tool, tool['parameters']) : vendorTool(tool)];
}

function readChoice(choice: unknown): Asked['toolChoice'] {
  if (typeof choice === 'string') return known(choice, 'auto', 'none', 'required');
  const fields = asObject(choice);
  if (fields === undefined) return 'auto';
  if (known(fields['type'], 'function', 'custom', 'allowed_tools') !== 'allowed_tools')
    return { names: [String(fields['name'])], required: true };
  const names = asObjects(fields['tools']).map(({ name }) => String(name));
  return { names, required: fields['mode'] === 'required' };
}

function readFormat(format: JsonObject | undefined): AskedFormat | undefined {
  if (format === undefined) return undefined;
  if (known(format['type'], 'text', 'json_object', 'json_schema') === 'text') return undefined;
  const { schema, name, description, strict } = format;
  return { schema, name, description, strict };
}
