/** First requests. */
import type { Child } from 'hono/jsx';

export const en = {
  title: 'Developers',
  description:
    'The first request in curl, Python and TypeScript, and the settings of SDKs and coding agents.',
  lead: 'Keep the client that you have: change its address and its token. Any chat model answers in the protocol of any client.',
  token: (variable: Child): Child => ['Put an API token into the variable ', variable, ' first.'],
  addresses: 'Addresses',
  forOpenAi: 'OpenAI clients',
  forAnthropic: 'Anthropic clients',
  forGemini: 'Gemini clients',
  chatDetail:
    'As OpenAI’s clients speak. The same address serves responses, embeddings, reranking and audio.',
  messagesDetail: 'As Anthropic’s clients speak. The address has no /v1: the client adds it.',
  aiSdk: 'Both providers take the address with /v1.',
  langChain: 'The OpenAI class takes the address with /v1.',
  claudeCode: 'Type this in a shell. Any chat model works, not only those of Anthropic.',
  codex: 'It speaks the Responses API, which every chat model here answers.',
  next: 'What an answer tells',
  nextItems: (id: Child, provider: Child, cost: Child): Child[][] => [
    [id, ' names the request: give it when you ask about one.'],
    [provider, ' says which provider answered.'],
    [
      cost,
      ' is what a whole answer cost. The cost of a stream is known at its end, and is in the usage record.',
    ],
  ],
  reference: 'Every address, field and error',
  agents: 'Gemini CLI, opencode, Qwen Code and others are set up the same way.',
};

export type DevelopersWords = typeof en;
