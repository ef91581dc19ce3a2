/** One conversation of the AI SDK with a tool, over two turns, whole or streamed. Prints what came of it as JSON. */
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';

const { SLUICE_URL, SLUICE_TOKEN, SLUICE_MODEL, SLUICE_PROVIDER, SLUICE_STREAMED } = process.env;

const settings = { baseURL: `${SLUICE_URL}/v1`, apiKey: SLUICE_TOKEN };
const openai = async () => (await import('@ai-sdk/openai')).createOpenAI(settings);
const providers = {
  responses: async () => (await openai())(SLUICE_MODEL),
  'responses without store': async () => (await openai())(SLUICE_MODEL),
  'chat completions': async () => (await openai()).chat(SLUICE_MODEL),
  messages: async () => (await import('@ai-sdk/anthropic')).createAnthropic(settings)(SLUICE_MODEL),
};

/** With it the SDK sends earlier items again; by itself it only refers to them. */
const providerOptions = SLUICE_PROVIDER === 'responses without store' ? { openai: { store: false } } : {};

const carriedOut = [];
const schema = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };
const tools = {
  shell: tool({
    description: 'Runs a command',
    inputSchema: jsonSchema({ ...schema, additionalProperties: false }),
    execute: async ({ command }) => {
      carriedOut.push(command);
      return 'It is done.';
    },
  }),
};

const model = await providers[SLUICE_PROVIDER]();
const messages = [];
const texts = [];
for (const words of ['Run it.', 'Once more.']) {
  messages.push({ role: 'user', content: words });
  const { text, said } = await say();
  texts.push(text);
  messages.push(...said);
}
process.stdout.write(`${JSON.stringify({ carriedOut, texts })}\n`);

/** The text of the last step, and the messages of all. */
async function say() {
  const asked = { model, messages, tools, stopWhen: stepCountIs(4), maxRetries: 0, providerOptions };
  if (SLUICE_STREAMED !== 'true') {
    const { text, response } = await generateText(asked);
    return { text, said: response.messages };
  }
  const errors = [];
  const stream = streamText({ ...asked, onError: ({ error }) => errors.push(error) });
  for await (const _piece of stream.textStream);
  if (errors.length > 0) throw errors[0];
  return { text: await stream.text, said: (await stream.response).messages };
}
