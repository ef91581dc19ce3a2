/** The counting of tokens of the messages protocol. */
import { isObject, readList, readText } from '../../json.ts';
import { type Reply, wholeReply } from '../../reply.ts';
import type { Protocol } from '../protocol.ts';
import { Refusal, readingOf } from '../refusal.ts';
import { unknownField } from '../strict-fields.ts';
import { findConversationFault } from './conversation.ts';
import { problemFields } from './problem.ts';

/** Without what bounds or shapes an answer: there is none. */
const knownFields = [
  ...['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'output_format'],
  ...['cache_control', 'context_management', 'mcp_servers', 'speed'],
];

export const messagesCountTokens: Protocol = {
  name: 'messages-count-tokens',
  serves: (method, path) => method === 'POST' && path.endsWith('/messages/count_tokens'),
  read: ({ body, bodyBytes }) =>
    readingOf(() => ({
      model: readCount(body),
      stream: false,
      planKey: undefined,
      generate: ({ promptTokens }) => counted(promptTokens ?? Math.ceil(bodyBytes / 4)),
    })),
  writeProblem: (problem) => JSON.stringify(problemFields(problem)),
};

function readCount(body: unknown): string {
  if (!isObject(body)) throw refuse('The body is not a JSON object.');
  const stranger = unknownField(body, knownFields);
  if (stranger !== undefined) throw refuse(`${stranger}: it has no place here.`);
  const model = readText(body, 'model');
  if (!model) throw refuse('model: it is missing.');
  const fault = findConversationFault(readList(body, 'messages'));
  if (fault !== undefined) throw refuse(fault);
  return model;
}

function refuse(message: string): Refusal {
  return new Refusal({ status: 400, message, type: 'invalid_request_error', code: null });
}

function counted(inputTokens: number): Reply {
  const text = JSON.stringify({ input_tokens: inputTokens });
  return wholeReply(200, 'application/json', { text, tokens: 0, usage: undefined });
}
