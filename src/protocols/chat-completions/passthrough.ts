/** Chat completions to chat completions: the bytes pass through; only the control fields change. */
import { asObject, asObjects, isJsonObject, type JsonObject, tryParseJson } from '../json/fields.ts';
import { editEntries, editMembers, type MemberEdit } from '../json/members.ts';
import { skimObject } from '../json/skim.ts';
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

/** For a host's dialect: what the host would refuse is changed inside the text, and nothing else. */
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
  const { text, json } = request;
  const edits = new Map<string, MemberEdit>([['model', JSON.stringify(upstreamId)]]);
  if (dialect.streamUsage === 'always') edits.set('stream_options', null);
  else if (request.stream && !request.wantsStreamUsage) {
    edits.set('stream_options', JSON.stringify({ ...asObject(json['stream_options']), include_usage: true }));
  }
  if (json['max_tokens'] != null || json['max_completion_tokens'] != null) {
    renameBound(edits, json, maxTokensFields(upstreamId, dialect));
  }
  if (!dialect.developerRole) renameDevelopers(edits, asObjects(json['messages']));
  return editMembers(text, edits, json);
}

/** A bound on the output whose name the host or the model does not know gets the one that it does. */
function renameBound(
  edits: Map<string, MemberEdit>,
  json: JsonObject,
  known: ChatDialect['maxTokensFields'],
): void {
  const { max_tokens, max_completion_tokens } = json;
  const isUnknown = (field: MaxTokensField) => json[field] != null && !known.includes(field);
  if (!isUnknown('max_tokens') && !isUnknown('max_completion_tokens')) return;
  edits.set('max_tokens', null).set('max_completion_tokens', null);
  edits.set(known[0], JSON.stringify(max_completion_tokens ?? max_tokens));
}

function renameDevelopers(edits: Map<string, MemberEdit>, messages: readonly JsonObject[]): void {
  if (!messages.some(isFromDeveloper)) return;
  const asSystem = (own: string, at: number) => {
    const message = messages[at];
    return message !== undefined && isFromDeveloper(message) ? editMembers(own, systemRole, message) : own;
  };
  edits.set('messages', (own) => editEntries(own, asSystem));
}

const isFromDeveloper = (message: JsonObject): boolean => message['role'] === 'developer';
const systemRole: ReadonlyMap<string, MemberEdit> = new Map([['role', '"system"']]);

const ends = { list: 'choices', last: 'usage' } as const;

function readAnswer(body: string): WholeAnswer {
  const usage = readChatUsage(skimObject(body, ends)?.['usage']);
  return usage === null ? readWhole(body) : { body, usage, generatedCharacters: 0 };
}

function readWhole(body: string): WholeAnswer {
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
