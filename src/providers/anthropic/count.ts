/** Counting at Anthropic: `/v1/messages/count_tokens`. */
import { parseJsonObject } from '../../protocols/json/body.ts';
import { asObject, asTokenCount } from '../../protocols/json/fields.ts';
import { messagesUpstream } from '../../protocols/messages/protocol.ts';
import type { CountTokensUpstream } from '../../protocols/protocol.ts';

/** All that the endpoint takes, beta included; it refuses what only an answer would need. */
const counted: ReadonlySet<string> = new Set([
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'cache_control',
  'compaction',
  'context_management',
  'mcp_servers',
  'speed',
  'billing_policy',
  'user_profile_id',
  'workspace_id',
]);

export const messagesCount: CountTokensUpstream = {
  chat: messagesUpstream,
  writeRequest(chatBody, model) {
    const members = Object.entries(parseJsonObject(chatBody)).filter(([name]) => counted.has(name));
    return JSON.stringify({ model, ...Object.fromEntries(members) });
  },
  readCount: (json) => asTokenCount(asObject(json)?.['input_tokens']) ?? null,
};
