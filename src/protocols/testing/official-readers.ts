/** The official clients as readers of a stream: what their own helpers make of it, to its end. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';

/** By client protocol. Each reads to the end and throws at what it cannot take for an answer. */
export const officialReaders: Readonly<Record<string, (stream: string) => Promise<unknown>>> = {
  'chat-completions': (stream) =>
    openai(stream)
      .chat.completions.stream({ ...asked, messages })
      .finalChatCompletion(),
  messages: (stream) =>
    new Anthropic({ apiKey: 'k', maxRetries: 0, fetch: answering(stream) }).messages
      .stream({ ...asked, messages, max_tokens: 99 })
      .finalMessage(),
  google: readGoogle,
  responses: readResponse,
  native: readResponse,
};

const asked = { model: 'm' };
const messages = [{ role: 'user' as const, content: 'When is high water?' }];

/** The helper takes a response that failed for an answer, and a program must look at its status. */
async function readResponse(stream: string): Promise<unknown> {
  const response = await openai(stream)
    .responses.stream({ ...asked, input: 'hi' })
    .finalResponse();
  if (response.status !== 'completed' && response.status !== 'incomplete') throw new Error(response.status);
  return response;
}

/** The client has no helper that puts the pieces together. A stream that was cut shows in that no piece has a reason. */
async function readGoogle(stream: string): Promise<unknown> {
  const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { fetch: answering(stream) } });
  const pieces = await client.models.generateContentStream({ ...asked, contents: 'hi' });
  let isEnded = false;
  for await (const { candidates } of pieces)
    isEnded ||= candidates?.some(({ finishReason }) => finishReason !== undefined) === true;
  if (!isEnded) throw new Error('the stream broke off');
  return { isEnded };
}

function openai(stream: string): OpenAI {
  return new OpenAI({ apiKey: 'k', maxRetries: 0, fetch: answering(stream) });
}

const answering = (stream: string) => async () =>
  new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
