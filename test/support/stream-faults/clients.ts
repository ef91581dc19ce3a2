/** The client protocols of the fault tests: a question, what the official client makes of it, how an error is told. */
import Anthropic from '@anthropic-ai/sdk';
import type { TestSluice } from '../sluice.ts';
import { readObject, readText } from '../upstream/json.ts';

export interface FaultClient {
  readonly name: string;
  readonly path: string;
  body(model: string, stream: boolean): object;
  /** The text of the answer, by the official client. */
  ask(sluice: TestSluice, model: string, stream: boolean): Promise<string>;
  /** The code of the error in the body of an answer, or in the data of a frame. */
  codeOf(json: unknown): string | undefined;
  /** What a stream has in it that ended well. */
  readonly goodEnd: RegExp;
}

const messages = [{ role: 'user' as const, content: 'Hello' }];
const codeInError = (json: unknown): string | undefined => readText(readObject(json, 'error'), 'code');

export const faultClients: readonly FaultClient[] = [
  {
    name: 'chat completions',
    path: '/v1/chat/completions',
    body: (model, stream) => ({ model, messages, stream }),
    async ask(sluice, model, stream) {
      const { completions } = sluice.client().chat;
      const completion = await (stream
        ? completions.stream({ model, messages }).finalChatCompletion()
        : completions.create({ model, messages }));
      return completion.choices[0]?.message.content ?? '';
    },
    codeOf: codeInError,
    goodEnd: /\[DONE\]/,
  },
  {
    name: 'messages',
    path: '/v1/messages',
    body: (model, stream) => ({ model, messages, max_tokens: 99, stream }),
    async ask(sluice, model, stream) {
      const client = new Anthropic({ baseURL: sluice.url, apiKey: sluice.token, maxRetries: 0 });
      const body = { model, messages, max_tokens: 99 };
      const message = await (stream
        ? client.messages.stream(body).finalMessage()
        : client.messages.create(body));
      return message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    },
    codeOf: codeInError,
    goodEnd: /message_stop/,
  },
  {
    name: 'responses',
    path: '/v1/responses',
    body: (model, stream) => ({ model, input: 'Hello', stream }),
    async ask(sluice, model, stream) {
      const { responses } = sluice.client();
      const body = { model, input: 'Hello' };
      const response = await (stream ? responses.stream(body).finalResponse() : responses.create(body));
      return response.output_text;
    },
    codeOf: (json) => codeInError(json) ?? readText(json, 'code'),
    goodEnd: /response\.completed/,
  },
];
