/** First requests to copy: the same in several languages, with the address and the model filled in. */
import type { Model, ModelType } from '../../catalogue/index.ts';
import type { Sample } from '../ui/code.tsx';
import { quote } from '../ui/commands.tsx';

/** Where a request goes, and which model it names. */
export interface Aim {
  readonly address: string;
  readonly model: string;
}

type Samples = readonly [Sample, ...Sample[]];

const bearer = '  -H "Authorization: Bearer $SLUICE_TOKEN" \\';
const json = '  -H "Content-Type: application/json" \\';
const question = 'Why is the sky blue?';

export const openAiSamples = (aim: Aim): Samples => [curlChat(aim), pythonChat(aim), typescriptChat(aim)];

const curlChat = ({ address, model }: Aim): Sample =>
  curl(`${address}/v1/chat/completions`, { model, messages: [{ role: 'user', content: question }] });

function curl(url: string, body: object): Sample {
  const lines = [
    `curl ${quote(url)} \\`,
    bearer,
    json,
    `  -d ${quote(JSON.stringify(body, null, 2).replaceAll('\n', '\n  '))}`,
  ];
  return { name: 'curl', code: lines.join('\n') };
}

const pythonChat = ({ address, model }: Aim): Sample => ({
  name: 'Python',
  code: `# pip install openai
import os
from openai import OpenAI

client = OpenAI(
    base_url=${text(`${address}/v1`)},
    api_key=os.environ["SLUICE_TOKEN"],
)
answer = client.chat.completions.create(
    model=${text(model)},
    messages=[{"role": "user", "content": ${text(question)}}],
)
print(answer.choices[0].message.content)`,
});

const typescriptChat = ({ address, model }: Aim): Sample => ({
  name: 'TypeScript',
  code: `// npm install openai
import OpenAI from "openai";

const client = new OpenAI({
  baseURL: ${text(`${address}/v1`)},
  apiKey: process.env.SLUICE_TOKEN,
});
const answer = await client.chat.completions.create({
  model: ${text(model)},
  messages: [{ role: "user", content: ${text(question)} }],
});
console.log(answer.choices[0]?.message.content);`,
});

export const anthropicSamples = ({ address, model }: Aim): Samples => [
  curl(`${address}/v1/messages`, {
    model,
    max_tokens: 1024,
    messages: [{ role: 'user', content: question }],
  }),
  {
    name: 'Python',
    code: `# pip install anthropic
import os
from anthropic import Anthropic

client = Anthropic(
    base_url=${text(address)},
    api_key=os.environ["SLUICE_TOKEN"],
)
message = client.messages.create(
    model=${text(model)},
    max_tokens=1024,
    messages=[{"role": "user", "content": ${text(question)}}],
)
print(message.content[0].text)`,
  },
  {
    name: 'TypeScript',
    code: `// npm install @anthropic-ai/sdk
import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  baseURL: ${text(address)},
  apiKey: process.env.SLUICE_TOKEN,
});
const message = await client.messages.create({
  model: ${text(model)},
  max_tokens: 1024,
  messages: [{ role: "user", content: ${text(question)} }],
});
for (const block of message.content) if (block.type === "text") console.log(block.text);`,
  },
];

export const aiSdkSamples = ({ address, model }: Aim): Samples => [
  {
    name: '@ai-sdk/openai',
    code: `// npm install ai @ai-sdk/openai
import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";

const sluice = createOpenAI({
  baseURL: ${text(`${address}/v1`)},
  apiKey: process.env.SLUICE_TOKEN,
});
const { text } = await generateText({
  model: sluice.chat(${text(model)}),
  prompt: ${text(question)},
});
console.log(text);`,
  },
  {
    name: '@ai-sdk/anthropic',
    code: `// npm install ai @ai-sdk/anthropic
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText } from "ai";

const sluice = createAnthropic({
  baseURL: ${text(`${address}/v1`)},
  apiKey: process.env.SLUICE_TOKEN,
});
const { text } = await generateText({
  model: sluice(${text(model)}),
  prompt: ${text(question)},
});
console.log(text);`,
  },
];

export const langChainSamples = ({ address, model }: Aim): Samples => [
  {
    name: 'Python',
    code: `# pip install langchain-openai
import os
from langchain_openai import ChatOpenAI

chat = ChatOpenAI(
    model=${text(model)},
    base_url=${text(`${address}/v1`)},
    api_key=os.environ["SLUICE_TOKEN"],
)
print(chat.invoke(${text(question)}).content)`,
  },
  {
    name: 'TypeScript',
    code: `// npm install @langchain/openai @langchain/core
import { ChatOpenAI } from "@langchain/openai";

const chat = new ChatOpenAI({
  model: ${text(model)},
  apiKey: process.env.SLUICE_TOKEN,
  configuration: { baseURL: ${text(`${address}/v1`)} },
});
console.log((await chat.invoke(${text(question)})).content);`,
  },
];

export const claudeCodeSample = ({ address, model }: Aim): Sample => ({
  name: 'Claude Code',
  code: `export ANTHROPIC_BASE_URL=${quote(address)}
export ANTHROPIC_AUTH_TOKEN=$SLUICE_TOKEN
export ANTHROPIC_MODEL=${quote(model)} ANTHROPIC_SMALL_FAST_MODEL=${quote(model)}
claude`,
});

export const codexSamples = ({ address, model }: Aim): Samples => [
  {
    name: '~/.codex/config.toml',
    code: `model = ${text(model)}
model_provider = "sluice"

[model_providers.sluice]
name = "Sluice"
base_url = ${text(`${address}/v1`)}
env_key = "SLUICE_TOKEN"
wire_api = "responses"`,
  },
];

/** A request that a model of this type answers. */
export function samplesOf({ type, publicId }: Model, address: string): Samples {
  const aim = { address, model: publicId };
  return makers[type](aim);
}

const makers: Readonly<Record<ModelType, (aim: Aim) => Samples>> = {
  chat: (aim) => [...openAiSamples(aim), { ...anthropicCurl(aim), name: 'Anthropic' }],
  embedding: ({ address, model }) => [curl(`${address}/v1/embeddings`, { model, input: [question] })],
  rerank: ({ address, model }) => [
    curl(`${address}/v1/rerank`, {
      model,
      query: question,
      documents: ['Air scatters blue light most.', 'Grass is green.'],
    }),
  ],
  speech: ({ address, model }) => [
    withOutput(curl(`${address}/v1/audio/speech`, { model, input: question, voice: 'alloy' }), 'speech.mp3'),
  ],
  transcription: ({ address, model }) => [
    {
      name: 'curl',
      code: [
        `curl ${quote(`${address}/v1/audio/transcriptions`)} \\`,
        bearer,
        `  -F ${quote(`model=${model}`)} \\`,
        '  -F file=@speech.mp3',
      ].join('\n'),
    },
  ],
};

const anthropicCurl = (aim: Aim): Sample => anthropicSamples(aim)[0];

const withOutput = ({ name, code }: Sample, file: string): Sample => ({
  name,
  code: `${code} \\\n  --output ${file}`,
});

/** A text as Python, JavaScript and TOML write it. */
const text = (words: string): string => JSON.stringify(words);
