/** What a request of generateContent asks for. */
import {
  asNumber,
  asObject,
  asObjects,
  asText,
  asTexts,
  isJsonObject,
  type JsonObject,
} from '../../../src/protocols/json/fields.ts';
import {
  type Asked,
  type AskedBlock,
  type AskedReasoning,
  type AskedTool,
  bytes,
  Conversation,
  functionTool,
  known,
  place,
  textBlock,
  trace,
  vendorTool,
} from './asked.ts';

export function askedByContents(json: JsonObject): Asked {
  const conversation = new Conversation();
  const instructions = asObjects(asObject(json['systemInstruction'])?.['parts']);
  conversation.instruct(...instructions.map(({ text }) => asText(text) ?? ''));
  for (const { role, parts } of asObjects(json['contents'])) {
    const blocks = asObjects(parts).flatMap((part) => readPart(conversation, part));
    const speaker = known(role, 'user', 'model') === 'model' ? 'assistant' : 'user';
    conversation.say(speaker, ...blocks);
  }
  const config = asObject(json['generationConfig']) ?? {};
  const calling = asObject(asObject(json['toolConfig'])?.['functionCallingConfig']);
  // One mode holds all tools to their schemas.
  const strict = calling?.['mode'] === 'VALIDATED' ? true : undefined;
  const schema = config['responseJsonSchema'] ?? plainSchema(config['responseSchema']);
  const isJson = schema !== undefined || config['responseMimeType'] === 'application/json';
  if (isJson) known(config['responseMimeType'], 'application/json');
  return {
    system: conversation.system,
    messages: conversation.messages,
    tools: asObjects(json['tools'])
      .flatMap(readTools)
      .map((tool) => ({ ...tool, strict })),
    toolChoice: readChoice(calling),
    parallel: true,
    maxOutputTokens: config['maxOutputTokens'],
    stop: asTexts(config['stopSequences']),
    temperature: config['temperature'],
    topP: config['topP'],
    topK: config['topK'],
    seed: config['seed'],
    frequencyPenalty: config['frequencyPenalty'],
    presencePenalty: config['presencePenalty'],
    format: isJson ? { schema, name: undefined, description: undefined, strict: true } : undefined,
    reasoning: readReasoning(asObject(config['thinkingConfig'])),
    choices: config['candidateCount'] === 1 ? undefined : config['candidateCount'],
    logprobs: config['responseLogprobs'] === true ? (config['logprobs'] ?? 0) : undefined,
    user: undefined,
    stream: false,
    openai: {},
  };
}

function readPart(conversation: Conversation, part: JsonObject): AskedBlock[] {
  const call = asObject(part['functionCall']);
  const answer = asObject(part['functionResponse']);
  const inline = asObject(part['inlineData']);
  const file = asObject(part['fileData']);
  const text = asText(part['text']);
  const signature = part['thoughtSignature'];
  if (text !== undefined && part['thought'] === true) return [{ type: 'thinking', text, signature }];
  if (text !== undefined) return [...hidden(signature), textBlock(text)];
  if (call !== undefined)
    return [conversation.call(call['id'], { name: call['name'], input: call['args'] ?? {}, signature })];
  if (answer !== undefined) {
    const { name, id, response } = answer;
    const result = readResult(asObject(response) ?? {});
    const media = asObjects(answer['parts']).flatMap((each) => readPart(conversation, each));
    const content = [...result.content, ...media];
    return [conversation.result(id, name ?? '', { isError: result.isError, content })];
  }
  if (inline !== undefined)
    return [readMedia(inline['mimeType'], bytes(inline['mimeType'], inline['data']), inline['displayName'])];
  if (file !== undefined) return [readMedia(file['mimeType'], place(file['fileUri']), file['displayName'])];
  return signature === undefined ? [trace(Object.keys(part).join())] : hidden(signature);
}

/** Thinking of which only the signature is shown, at what was said after it. */
const hidden = (signature: unknown): AskedBlock[] =>
  signature === undefined ? [] : [{ type: 'thinking', text: '', signature }];

function readMedia(mediaType: unknown, source: string, title: unknown): AskedBlock {
  const [kind] = (asText(mediaType) ?? 'image/').split('/');
  if (kind === 'image') return { type: 'image', source, detail: undefined };
  if (kind === 'audio') return { type: 'audio', source };
  return { type: 'document', source, title, context: undefined };
}

/** A text stands under `output`, `result` or `error`; any other object is itself the result. */
function readResult(response: JsonObject): { isError: boolean; content: AskedBlock[] } {
  const [[name, value] = ['', undefined], ...others] = Object.entries(response);
  const isNamed = others.length === 0 && ['output', 'result', 'error'].includes(name);
  const said = isNamed && typeof value === 'string' ? value : JSON.stringify(isNamed ? value : response);
  return { isError: name === 'error' && isNamed, content: [textBlock(said)] };
}

function readTools(tool: JsonObject): AskedTool[] {
  const declared = asObjects(tool['functionDeclarations']).map((each) =>
    functionTool(each, each['parametersJsonSchema'] ?? plainSchema(each['parameters'])),
  );
  const others = Object.keys(tool).filter((name) => name !== 'functionDeclarations');
  return [...declared, ...others.map((type) => vendorTool({ type }))];
}

/** The older form of schemas, which writes types in capitals. */
function plainSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plainSchema);
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === 'type' && typeof value === 'string' ? value.toLowerCase() : plainSchema(value),
    ]),
  );
}

function readChoice(config: JsonObject | undefined): Asked['toolChoice'] {
  const mode = known(config?.['mode'] ?? 'AUTO', 'AUTO', 'ANY', 'NONE', 'VALIDATED');
  const names = asTexts(config?.['allowedFunctionNames']);
  if (names.length > 0) return { names, required: mode === 'ANY' };
  const words: Record<string, Asked['toolChoice']> = { ANY: 'required', NONE: 'none' };
  return words[mode] ?? 'auto';
}

function readReasoning(config: JsonObject | undefined): AskedReasoning {
  const budget = asNumber(config?.['thinkingBudget']);
  const effort = asText(config?.['thinkingLevel'])?.toLowerCase();
  if (config === undefined) return { isOn: undefined, effort, budget };
  return { isOn: budget !== 0, effort, budget };
}
