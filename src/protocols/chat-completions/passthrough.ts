/** Chat completions to chat completions: the bytes pass through; only the control fields change. */
import { isJsonObject, tryParseJson } from '../json/fields.ts';
import { replaceMembers } from '../json/members.ts';
import {
  ComplaintError,
  type InferenceRequest,
  type Translator,
  UnreadableAnswerError,
  type WholeAnswer,
} from '../translator.ts';
import { adaptRequest } from './adapt-request.ts';
import { complaintIn, readChatComplaint } from './complaint.ts';
import { type ChatDialect, openaiDialect } from './dialect.ts';
import { ChatPassthroughStream } from './passthrough-stream.ts';
import { readChatUsage } from './usage.ts';

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
