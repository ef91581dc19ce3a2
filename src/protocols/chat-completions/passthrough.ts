/** Chat completions to chat completions: the bytes pass through; only the control fields change. */
import { asObjects, isJsonObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import { replaceMembers } from '../json/members.ts';
import {
  ComplaintError,
  type InferenceRequest,
  type Translator,
  UnreadableAnswerError,
  type WholeAnswer,
} from '../translator.ts';
import { type ChatDialect, type MaxTokensField, openaiDialect } from './dialect.ts';
import { complaintIn, readChatComplaint } from './errors.ts';
import { maxTokensFields } from './models.ts';
import { readChatUsage } from './outcome.ts';
import { ChatPassthroughStream } from './passthrough-stream.ts';

/** For a host's dialect: a request that says what the host would refuse is written anew, any other passes. */
export const chatPassthroughIn = (dialect: ChatDialect): Translator => ({
  writeRequest: (request, upstreamId) => writeRequest(request, upstreamId, dialect),
  readAnswer,
  readComplaint: readChatComplaint,
  openStream: (request) =>
    new ChatPassthroughStream({
      keepUsageFrame: request.wantsStreamUsage,
      oneChoice: (request.json['n'] ?? 1) === 1,
    }),
});

export const chatPassthrough: Translator = chatPassthroughIn(openaiDialect);

/** The upstream is always asked for usage, because the request is to be paid for. */
function writeRequest(request: InferenceRequest, upstreamId: string, dialect: ChatDialect): string {
  const members = new Map([['model', JSON.stringify(upstreamId)]]);
  if (request.stream && !request.wantsStreamUsage && dialect.streamUsage === 'asked') {
    const given = request.json['stream_options'];
    members.set(
      'stream_options',
      JSON.stringify({ ...(isJsonObject(given) ? given : {}), include_usage: true }),
    );
  }
  return replaceMembers(adaptRequest(request, upstreamId, dialect), members);
}

function readAnswer(body: string): WholeAnswer {
  const json = tryParseJson(body);
  if (!isJsonObject(json)) throw new UnreadableAnswerError('the answer is not a JSON object');
  const choices = json['choices'];
  if (!Array.isArray(choices)) {
    const complaint = complaintIn(json);
    if (complaint !== null) throw new ComplaintError(complaint);
    throw new UnreadableAnswerError('the answer has no choices');
  }
  const usage = readChatUsage(json['usage']);
  return { body, usage, generatedCharacters: usage === null ? countGenerated(choices) : 0 };
}

function countGenerated(choices: readonly unknown[]): number {
  let characters = 0;
  for (const choice of choices) {
    if (isJsonObject(choice)) characters += JSON.stringify(choice['message'] ?? null).length;
  }
  return characters;
}

/** The text as it came where the host takes it so; else written anew from its JSON, with all its fields. */
export function adaptRequest(request: InferenceRequest, upstreamId: string, dialect: ChatDialect): string {
  const { text, json } = request;
  const field = renamedBound(json, upstreamId, dialect);
  const hasRole = !dialect.developerRole && asObjects(json['messages']).some(isFromDeveloper);
  const hasOptions = dialect.streamUsage === 'always' && 'stream_options' in json;
  if (field === null && !hasRole && !hasOptions) return text;
  const { max_tokens, max_completion_tokens, stream_options, ...others } = json;
  return JSON.stringify({
    ...others,
    ...(field === null
      ? { max_tokens, max_completion_tokens }
      : { [field]: max_completion_tokens ?? max_tokens }),
    ...(hasOptions ? {} : { stream_options }),
    ...(hasRole ? { messages: asObjects(json['messages']).map(asSystem) } : {}),
  });
}

/** The name that the bound on the output must get; null when it has none, or may keep it. */
function renamedBound(json: JsonObject, upstreamId: string, dialect: ChatDialect): MaxTokensField | null {
  const known = maxTokensFields(upstreamId, dialect);
  const isUnknown = (field: MaxTokensField) => json[field] != null && !known.includes(field);
  return isUnknown('max_tokens') || isUnknown('max_completion_tokens') ? known[0] : null;
}

const isFromDeveloper = (message: JsonObject): boolean => message['role'] === 'developer';

const asSystem = (message: JsonObject): JsonObject =>
  isFromDeveloper(message) ? { ...message, role: 'system' } : message;
