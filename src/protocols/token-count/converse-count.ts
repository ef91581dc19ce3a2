/** Counting at Bedrock: `/model/{model}/count-tokens`, for the models that it can count for. */
import { parseJsonObject } from '../json/body.ts';
import { asObject, asTokenCount } from '../json/fields.ts';
import type { CountTokensUpstream, UpstreamProtocol } from '../protocol.ts';

/** @param chat Converse. */
export function converseCount(chat: UpstreamProtocol): CountTokensUpstream {
  return {
    chat,
    writeRequest(chatBody) {
      const { messages, system, toolConfig, additionalModelRequestFields } = parseJsonObject(chatBody);
      const converse = { messages, system, toolConfig, additionalModelRequestFields };
      return JSON.stringify({ input: { converse } });
    },
    readCount: (json) => asTokenCount(asObject(json)?.['inputTokens']) ?? null,
  };
}
