/** What a request of chat completions asks for. */
import { asObject, asObjects, asText, type JsonObject } from '../../../src/protocols/json/fields.ts';
import {
  type Asked,
  type AskedBlock,
  type AskedFormat,
  type AskedTool,
  asStops,
  bytes,
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

export function askedByCompletions(json: JsonObject): Asked {
  const conversation = new Conversation();
  for (const message of asObjects(json['messages'])) readMessage(conversation, message);
  return {
    system: conversation.system,
    messages: conversation.messages,
    tools: asObjects(json['tools']).map(readTool),
    toolChoice: readChoice(json['tool_choice']),
    parallel: json['parallel_tool_calls'] !== false,
    maxOutputTokens: json['max_completion_tokens'] ?? json['max_tokens'],
    stop: asStops(json['stop']),
    temperature: json['temperature'],
    topP: json['top_p'],
    topK: json['top_k'],
    seed: json['seed'],
    frequencyPenalty: json['frequency_penalty'],
    presencePenalty: json['presence_penalty'],
    format: readFormat(asObject(json['response_format'])),
    reasoning: effortOf(json['reasoning_effort']),
    choices: json['n'] === 1 ? undefined : json['n'],
    logprobs: json['logprobs'] === true ? (json['top_logprobs'] ?? 0) : undefined,
    user: json['safety_identifier'] ?? json['user'],
    stream: json['stream'] === true,
    openai: openaiFieldsOf(json),
  };
}

function readMessage(conversation: Conversation, message: JsonObject): void {
  const { role, content } = message;
  if (role === 'system' || role === 'developer') conversation.instruct(...textsOf(content));
  else if (role === 'tool') {
    const result = { isError: false, content: readParts(content) };
    conversation.say('user', conversation.result(message['tool_call_id'], undefined, result));
  } else conversation.say(String(role), ...readSpoken(conversation, message));
}

function readSpoken(conversation: Conversation, message: JsonObject): AskedBlock[] {
  const calls = asObjects(message['tool_calls']);
  const details = asObjects(message['reasoning_details']);
  for (const { type } of details) known(type, 'reasoning.text', 'reasoning.summary', 'reasoning.encrypted');
  const isOfCall = ({ id }: JsonObject) => id !== undefined && calls.some((call) => call['id'] === id);
  const content = asText(message['reasoning_content']);
  // Said twice when both are there.
  const isTold = content === details.map(textOf).join('');
  const thinking = details.length > 0 && isTold ? undefined : content;
  const refusal = asText(message['refusal']);
  return [
    ...details.filter((detail) => !isOfCall(detail)).map(readDetail),
    ...(thinking === undefined ? [] : [{ type: 'thinking', text: thinking, signature: undefined } as const]),
    ...readParts(message['content']),
    ...(refusal === undefined ? [] : [{ type: 'refusal', text: refusal } as const]),
    ...calls.map((call) => {
      const { name, input } = readCall(call);
      const signature = details.find(({ id }) => id === call['id'])?.['data'];
      return conversation.call(call['id'], { name, input, signature });
    }),
  ];
}

/** How hosts that relay signed thinking show it. */
function readDetail(detail: JsonObject): AskedBlock {
  const text = textOf(detail);
  return { type: 'thinking', text, signature: detail['data'] ?? detail['signature'] };
}

const textOf = (detail: JsonObject): string => asText(detail['text']) ?? asText(detail['summary']) ?? '';

function readCall(call: JsonObject): { name: unknown; input: unknown } {
  const type = known(call['type'], 'function', 'custom');
  const called = asObject(call[type]);
  if (type === 'custom') return { name: called?.['name'], input: called?.['input'] };
  return { name: called?.['name'], input: readArguments(called?.['arguments']) };
}

function readParts(content: unknown): AskedBlock[] {
  return typeof content === 'string' ? [textBlock(content)] : asObjects(content).map(readPart);
}

function readPart(part: JsonObject): AskedBlock {
  const image = asObject(part['image_url']);
  const file = asObject(part['file']);
  const audio = asObject(part['input_audio']);
  if (part['type'] === 'text') return textBlock(part['text']);
  if (part['type'] === 'refusal') return { type: 'refusal', text: String(part['refusal']) };
  known(part['type'], 'image_url', 'input_audio', 'file');
  if (image !== undefined) return { type: 'image', source: place(image['url']), detail: image['detail'] };
  if (audio !== undefined) return { type: 'audio', source: bytes(`audio/${audio['format']}`, audio['data']) };
  if (file === undefined) return trace(part['type']);
  const source = file['file_id'] === undefined ? place(file['file_data']) : `file:${file['file_id']}`;
  return { type: 'document', source, title: file['filename'], context: undefined };
}

function readTool(tool: JsonObject): AskedTool {
  if (tool['type'] === 'custom') return customTool(asObject(tool['custom']) ?? {});
  const described = tool['type'] === 'function' ? asObject(tool['function']) : undefined;
  return described === undefined ? vendorTool(tool) : functionTool(described, described['parameters']);
}

function readChoice(choice: unknown): Asked['toolChoice'] {
  if (typeof choice === 'string') return known(choice, 'auto', 'none', 'required');
  const fields = asObject(choice);
  if (fields === undefined) return 'auto';
  known(fields['type'], 'function', 'custom', 'allowed_tools');
  const allowed = asObject(fields['allowed_tools']);
  const nameOf = (tool: JsonObject) =>
    String((asObject(tool['function']) ?? asObject(tool['custom']))?.['name']);
  if (allowed === undefined) return { names: [nameOf(fields)], required: true };
  return { names: asObjects(allowed['tools']).map(nameOf), required: allowed['mode'] === 'required' };
}

function readFormat(format: JsonObject | undefined): AskedFormat | undefined {
  if (format === undefined) return undefined;
  if (known(format['type'], 'text', 'json_object', 'json_schema') === 'text') return undefined;
  const { schema, name, description, strict } = asObject(format['json_schema']) ?? {};
  return { schema, name, description, strict };
}
