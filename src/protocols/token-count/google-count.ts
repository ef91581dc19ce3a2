/** Counting at the Gemini API: `models/{model}:countTokens`. */
import { parseJsonObject } from '../json/body.ts';
import { asObject, asTokenCount } from '../json/fields.ts';
import type { CountTokensUpstream, UpstreamProtocol } from '../protocol.ts';

/** @param chat generateContent. */
export function googleCount(chat: UpstreamProtocol): CountTokensUpstream {
  return {
    chat,
    writeRequest(chatBody, model) {
      // Sent bare, the contents alone would be counted, without instructions and tools.
      const generateContentRequest = { ...parseJsonObject(chatBody), model: asResource(model) };
      return JSON.stringify({ generateContentRequest });
    },
    readCount: (json) => asTokenCount(asObject(json)?.['totalTokens']) ?? null,
  };
}

const asResource = (model: string): string => (model.includes('/') ? model : `models/${model}`);
