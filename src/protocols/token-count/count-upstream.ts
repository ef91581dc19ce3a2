/** What an upstream's own counting of tokens is. */
import type { UpstreamProtocol } from '../protocol.ts';

/** The native counting of tokens: asked with the body that a chat request of `chat` would have. */
export interface CountTokensUpstream {
  readonly chat: UpstreamProtocol;
  /** What is counted, from the chat request's body. */
  writeRequest(chatBody: string, model: string): string;
  /** Null when the answer has no count. */
  readCount(json: unknown): number | null;
}
