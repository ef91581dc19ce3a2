/** Requests of the guide to copy, beyond the first one, with the address and a model filled in. */
import type { Aim } from '../../public/samples.ts';
import type { Sample } from '../../ui/code.tsx';
import { quote } from '../../ui/commands.tsx';

type Samples = readonly [Sample, ...Sample[]];

const bearer = '  -H "Authorization: Bearer $SLUICE_TOKEN" \\';
const json = '  -H "Content-Type: application/json" \\';
const user = (content: string) => [{ role: 'user', content }];
const question = 'Why is the sky blue?';

function curl(name: string, url: string, body: object, more: readonly string[] = []): Sample {
  const sent = quote(JSON.stringify(body, null, 2).replaceAll('\n', '\n  '));
  return {
    name,
    code: [`curl ${quote(url)} \\`, bearer, json, ...more.map((line) => `  ${line} \\`), `  -d ${sent}`].join(
      '\n',
    ),
  };
}

export const keySample = (shown: string): Sample => ({
  name: 'shell',
  code: `export SLUICE_TOKEN="${shown}"`,
});

export const protocolSamples = ({ address, model }: Aim): Samples => [
  curl('Chat completions', `${address}/v1/chat/completions`, { model, messages: user(question) }),
  curl('Messages', `${address}/v1/messages`, { model, max_tokens: 1024, messages: user(question) }),
  curl('Responses', `${address}/v1/responses`, { model, input: question }),
  {
    name: 'Gemini',
    code: [
      `curl ${quote(`${address}/v1beta/models/${encodeURIComponent(model)}:generateContent`)} \\`,
      '  -H "x-goog-api-key: $SLUICE_TOKEN" \\',
      json,
      `  -d ${quote(JSON.stringify({ contents: [{ parts: [{ text: question }] }] }))}`,
    ].join('\n'),
  },
];

export const streamSamples = ({ address, model }: Aim): Samples => [
  curl(
    'curl',
    `${address}/v1/chat/completions`,
    { model, messages: user(question), stream: true, stream_options: { include_usage: true } },
    ['--no-buffer'],
  ),
  {
    name: 'Python',
    code: `stream = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": ${JSON.stringify(question)}}],
    stream=True,
    stream_options={"include_usage": True},
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")
    elif chunk.usage:
        print(chunk.usage)`,
  },
  {
    name: 'TypeScript',
    code: `const stream = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: [{ role: "user", content: ${JSON.stringify(question)} }],
  stream: true,
});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? "");
}`,
  },
];

const weather = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    },
  },
};

export const toolSamples = ({ address, model }: Aim): Samples => [
  curl('curl', `${address}/v1/chat/completions`, {
    model,
    messages: user('What is the weather in Ghent?'),
    tools: [weather],
  }),
  {
    name: 'Python',
    code: `answer = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": "What is the weather in Ghent?"}],
    tools=[{
        "type": "function",
        "function": {
            "name": "weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
            },
        },
    }],
)
for call in answer.choices[0].message.tool_calls or []:
    print(call.function.name, call.function.arguments)`,
  },
];

export const errorSamples: Samples = [
  {
    name: 'Python',
    code: `import openai

# The client waits and tries again by itself, as retry-after says.
client = client.with_options(max_retries=4, timeout=120)
try:
    answer = client.chat.completions.create(...)
except openai.APIStatusError as error:
    print(error.status_code, error.response.headers.get("x-request-id"))
    print(error.response.headers.get("x-should-retry"), error.message)`,
  },
  {
    name: 'TypeScript',
    code: `const client = new OpenAI({ baseURL, apiKey, maxRetries: 4, timeout: 120_000 });
try {
  await client.chat.completions.create(request);
} catch (error) {
  if (!(error instanceof OpenAI.APIError)) throw error;
  console.error(error.status, error.headers?.get("x-request-id"), error.message);
}`,
  },
];

export const labelSamples = ({ address, model }: Aim): Samples => [
  curl('curl', `${address}/v1/chat/completions`, { model, messages: user(question), user: 'customer-42' }, [
    '-H "X-Session-Id: conversation-7"',
    '-H "X-Sluice-Tags: checkout,team=red"',
  ]),
];

export const limitSamples = ({ address }: Aim): Samples => [
  {
    name: 'curl',
    code: `curl ${quote(`${address}/v1/key`)} \\\n  -H "Authorization: Bearer $SLUICE_TOKEN"`,
  },
];
