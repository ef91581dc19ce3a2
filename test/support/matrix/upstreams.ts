/** The upstream protocols of the matrix: how Sluice is set up for each, and what each can do. */
import { startTestSluice, type TestSluice, usualModel } from '../sluice.ts';
import { signatureOfCall, signatureOfText } from '../upstream/protocols/google/thought-signature.ts';
import { signatureOf } from '../upstream/protocols/messages/message.ts';
import { encryptedContentOf } from '../upstream/protocols/responses/encrypted-content.ts';
import type { Call } from './talk.ts';

export interface UpstreamCase {
  readonly protocol: string;
  /** As clients name it. */
  readonly model: string;
  readonly upstreamModel: string;
  /** The row of the provider but for its name and credentials. */
  readonly provider: (url: string) => object;
  /** Where the double listens to a request of this model. */
  readonly path: RegExp;
  /** Whether it can be known which stop sequence was met: it says so, or Sluice stops by itself. */
  readonly namesStop: boolean;
  readonly interleavesCalls: boolean;
  /** Whether it shows thinking to who did not ask to see it. */
  readonly showsUnasked: boolean;
  /** Whether it says how much of the output was thinking. */
  readonly countsThinking: boolean;
  /** What of the thinking in the answer to request `number`, before a call or before words, must come back later. */
  replayed(thinking: string, call: Call | undefined, number: number): string;
}

const withoutVersion = (url: string): string => url.replace(/\/v1$/, '');

export const upstreamCases: readonly UpstreamCase[] = [
  {
    protocol: 'chat completions',
    model: 'over-chat',
    upstreamModel: 'double-2026',
    provider: (url) => ({ kind: 'openai', base_url: url, settings: { protocols: ['chat-completions'] } }),
    path: /^\/v1\/chat\/completions$/,
    namesStop: false,
    interleavesCalls: true,
    showsUnasked: true,
    countsThinking: true,
    replayed: (thinking) => thinking,
  },
  {
    protocol: 'messages',
    model: 'over-messages',
    upstreamModel: 'claude-sonnet-4-5-20250929',
    provider: (url) => ({ kind: 'anthropic', base_url: url }),
    path: /^\/v1\/messages$/,
    namesStop: true,
    interleavesCalls: false,
    showsUnasked: true,
    countsThinking: true,
    replayed: signatureOf,
  },
  {
    protocol: 'responses',
    model: 'over-responses',
    upstreamModel: 'gpt-5-mini',
    provider: (url) => ({ kind: 'openai', base_url: url, settings: { protocols: ['responses'] } }),
    path: /^\/v1\/responses$/,
    namesStop: true,
    interleavesCalls: true,
    showsUnasked: false,
    countsThinking: true,
    replayed: (_thinking, _call, number) => encryptedContentOf(`rs_double_${number}`),
  },
  {
    protocol: 'generateContent',
    model: 'over-google',
    upstreamModel: 'gemini-3-flash-preview',
    provider: (url) => ({ kind: 'google', base_url: `${withoutVersion(url)}/v1beta` }),
    path: /^\/v1beta\/models\/gemini-3-flash-preview:(generateContent|streamGenerateContent)$/,
    namesStop: false,
    interleavesCalls: false,
    showsUnasked: true,
    countsThinking: true,
    replayed: (_thinking, call) =>
      call === undefined ? signatureOfText() : signatureOfCall(call.name, call.input),
  },
  {
    protocol: 'generateContent of a model without call ids',
    model: 'over-old-google',
    upstreamModel: 'gemini-2.5-flash',
    provider: (url) => ({ kind: 'google', base_url: `${withoutVersion(url)}/v1beta` }),
    path: /^\/v1beta\/models\/gemini-2.5-flash:(generateContent|streamGenerateContent)$/,
    namesStop: false,
    interleavesCalls: false,
    showsUnasked: true,
    countsThinking: true,
    replayed: (_thinking, call) =>
      call === undefined ? signatureOfText() : signatureOfCall(call.name, call.input),
  },
  {
    protocol: 'Converse',
    model: 'over-converse',
    upstreamModel: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
    provider: (url) => ({ kind: 'bedrock', base_url: withoutVersion(url), region: 'eu-central-1' }),
    path: /^\/model\/anthropic\.claude-sonnet-4-5-20250929-v1%3A0\/converse(-stream)?$/,
    namesStop: true,
    interleavesCalls: false,
    showsUnasked: true,
    countsThinking: false,
    replayed: signatureOf,
  },
];

/** One Sluice with a model over each of them, all at the usual model's prices. */
export function startMatrixSluice(): Promise<TestSluice> {
  return startTestSluice({
    skipsPauses: true,
    file: (url) => ({
      providers: upstreamCases.map(({ model, provider }) => ({
        name: model,
        credentials: [{ name: 'k1', api_key: 'upstream-secret' }],
        ...provider(url),
      })),
      models: upstreamCases.map(({ model, upstreamModel }) => ({
        ...usualModel,
        id: model,
        aliases: [],
        capabilities: ['tools', 'vision', 'thinking', 'reasoning'],
        providers: [{ provider: model, upstream_id: upstreamModel }],
      })),
    }),
  });
}
