/** What a request of the messages protocol asks for. */
import {
  asList,
  asObject,
  asObjects,
  type JsonObject,
  tryParseJson,
} from '../../../src/protocols/json/fields.ts';
import {
  type Asked,
  type AskedBlock,
  type AskedTool,
  asStops,
  bytes,
  Conversation,
  functionTool,
  known,
  place,
  textBlock,
  textsOf,
  trace,
  vendorTool,
} from './asked.ts';

export function askedByMessages(json: JsonObject): Asked {
  const conversation = new Conversation();
  conversation.instruct(...textsOf(json['system']));
  for (const { role, content } of asObjects(json['messages'])) {
    const blocks =
      typeof content === 'string'
        ? [textBlock(content)]
        : asObjects(content).map((block) => readBlock(conversation, block));
    conversation.say(String(role), ...blocks);
  }
  const choice = asObject(json['tool_choice']) ?? { type: 'auto' };
  const output = asObject(json['output_config']) ?? {};
  const format = asObject(output['format']);
  const thinking = asObject(json['thinking']);
  const named = { names: [String(choice['name'])], required: true };
  if (format !== undefined) known(format['type'], 'json_schema');
  const words: Record<string, Asked['toolChoice']> = { any: 'required', none: 'none', tool: named };
  return {
    system: conversation.system,
    messages: conversation.messages,
    tools: asObjects(json['tools']).map(readTool),
    toolChoice: words[known(choice['type'], 'auto', 'any', 'none', 'tool')] ?? 'auto',
    parallel: choice['disable_parallel_tool_use'] !== true,
    maxOutputTokens: json['max_tokens'],
    stop: asStops(json['stop_sequences']),
    temperature: json['temperature'],
    topP: json['top_p'],
    topK: json['top_k'],
    seed: undefined,
    frequencyPenalty: undefined,
    presencePenalty: undefined,
    format:
      format === undefined
        ? undefined
        : { schema: format['schema'], name: undefined, description: undefined, strict: true },
    reasoning: {
      isOn:
        thinking === undefined
          ? undefined
          : known(thinking['type'], 'enabled', 'adaptive', 'disabled') !== 'disabled',
      effort: output['effort'],
      budget: thinking?.['budget_tokens'],
    },
    choices: undefined,
    logprobs: undefined,
    user: asObject(json['metadata'])?.['user_id'],
    stream: json['stream'] === true,
    openai: {},
  };
}

function readBlock(conversation: Conversation, block: JsonObject): AskedBlock {
  switch (block['type']) {
    case 'text':
      return textBlock(block['text']);
    case 'image':
      return { type: 'image', source: sourceOf(block['source']), detail: undefined };
    case 'document': {
      const { title, context } = block;
      return { type: 'document', source: sourceOf(block['source']), title, context };
    }
    case 'thinking':
      return { type: 'thinking', text: String(block['thinking']), signature: block['signature'] };
    case 'redacted_thinking':
      return { type: 'thinking', text: '', signature: block['data'] };
    case 'tool_use':
      return conversation.call(block['id'], { name: block['name'], input: block['input'] });
    case 'tool_result': {
      const { content } = block;
      return conversation.result(block['tool_use_id'], undefined, {
        isError: block['is_error'] === true,
        content:
          typeof content === 'string'
            ? [textBlock(content)]
            : asList(content).map((part) => readBlock(conversation, asObject(part) ?? {})),
      });
    }
    default:
      return trace(block['type']);
  }
}

function sourceOf(value: unknown): string {
  const source = asObject(value) ?? {};
  if (source['type'] === 'base64') return bytes(source['media_type'], source['data']);
  if (source['type'] === 'url') return place(source['url']);
  if (source['type'] === 'text') return `text:${source['data']}`;
  if (source['type'] === 'file') return `file:${source['file_id']}`;
  return `content:${JSON.stringify(tryParseJson(JSON.stringify(source['content'] ?? null)))}`;
}

function readTool(tool: JsonObject): AskedTool {
  const type = tool['type'] ?? 'custom';
  return type === 'custom' ? functionTool(tool, tool['input_schema']) : vendorTool(tool);
}
