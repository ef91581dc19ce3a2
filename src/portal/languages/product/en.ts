/** What the service does, costs and wants. */
import type { Article } from '../article.ts';

export type ProductWords = Readonly<Record<'features' | 'pricing' | 'guide', Article>>;

export const en: ProductWords = {
  features: {
    title: 'What it does',
    description: 'Protocols, providers, failover, accounting, keys and operation: what this gateway does.',
    lead: 'One address in front of the model providers, which speaks the protocols that your clients already speak.',
    sections: [
      {
        title: 'Every protocol, every model',
        points: [
          [
            'Four chat protocols',
            'Chat completions, responses, messages and generateContent, whole and streamed. Any chat model answers all of them; requests and answers are converted where client and provider differ.',
          ],
          [
            'Nothing lost on the way',
            'When both speak the same protocol the bytes pass through: unknown fields, big integers and number spellings stay as they were written.',
          ],
          [
            'More than chat',
            'Embeddings, reranking, transcription, translation of speech, and speech, each in the form that common clients expect.',
          ],
          [
            'Agents as they are',
            'Claude Code, Codex, Gemini CLI, opencode and Qwen Code were set up and tried; so were the AI SDK and LangChain.',
          ],
        ],
      },
      {
        title: 'Providers',
        points: [
          [
            'Many kinds',
            'OpenAI, Anthropic, Google, Azure, Bedrock, Cohere, Voyage, Jina, Deepgram, ElevenLabs, some twenty compatible hosts, and servers of your own such as vLLM and Ollama.',
          ],
          [
            'Failover',
            'A model’s providers are tried, by order, weight, latency or price, until the first content of an answer. After it an error is told inside the stream, which then never ends as if it were whole. On request another provider goes on where it broke off.',
          ],
          [
            'The model `auto`',
            'Stands for the cheapest model that the key may use and that has the abilities the request needs.',
          ],
          [
            'Data policies',
            'What providers say of retention, training and region is a lock on organisations, departments, keys and requests. What nobody has said of a provider never passes.',
          ],
        ],
      },
      {
        title: 'Accounting',
        points: [
          [
            'Exact',
            'Counts that never overlap, costs in billionths of a dollar, one record a request with every attempt: never its content.',
          ],
          [
            'Prepaid',
            'Each account has a wallet. When it is empty, models with a price answer 402 before a provider is asked.',
          ],
          [
            'Also for streams',
            'Usage is asked for and taken out again where the client did not want it; what a provider does not count is counted here and marked as estimated.',
          ],
          [
            'Budgets and limits',
            'By the day, week, month or in all, for keys, people, departments and organisations; requests and tokens a minute. Requests side by side never pass one.',
          ],
        ],
      },
      {
        title: 'Operation',
        points: [
          [
            'One program',
            'An embedded database to begin with, PostgreSQL for several processes. Nothing else is needed.',
          ],
          [
            'Seen from outside',
            '`/health`, metrics for Prometheus, and a log of JSON lines with a closed list of fields.',
          ],
          ['Stops gently', 'Answers under way end before the process does, and what they used is written.'],
          [
            'Tells whom it concerns',
            'Mails and signed webhooks when a balance or budget runs low, a key expires or a provider fails.',
          ],
        ],
      },
    ],
  },
  pricing: {
    title: 'Pricing',
    description: 'What a request costs, what is free, and the live prices of every model.',
    lead: 'You pay for what a request used, at the price of its model, from a prepaid wallet. There is no minimum and no monthly fee in the software.',
    sections: [
      {
        title: 'How a cost comes about',
        points: [
          [
            'Counts times prices',
            'One exact sum, rounded once, to a billionth of a dollar. The price is that of the model, or of the provider that answered where it has its own.',
          ],
          [
            'No count twice',
            'What a cache served has its own price and is not input again. Reasoning is a part of output.',
          ],
          [
            'Told with the answer',
            '`x-sluice-cost-usd` is in the headers of a whole answer; a stream’s cost is in its usage record.',
          ],
        ],
      },
      {
        title: 'What is free',
        points: [
          [
            'Failed attempts',
            'Providers that failed before the one that answered cost you nothing, and neither does a request that yields nothing.',
          ],
          ['Questions about models', 'Listing models and counting tokens.'],
        ],
      },
      {
        title: 'What to know',
        points: [
          [
            'Leaving early',
            'Once a prompt is with a provider its input is charged; in the middle of an answer, what was generated until the provider could be stopped.',
          ],
          [
            'The last cent',
            'What a request can cost at most is set aside before it is sent, so that a wallet is never overspent; the last cent can be spent, with a shorter answer.',
          ],
          [
            'What has no price',
            'Is refused, or left out of the request where it works without it. The answer names it in `x-sluice-left-out`.',
          ],
        ],
      },
    ],
  },
  guide: {
    title: 'Guide',
    description: 'From a key to streams, limits and errors: how the gateway is used.',
    lead: 'What you need to know to use the gateway well, in the order in which you need it.',
    sections: [
      {
        title: 'Begin',
        points: [
          [
            '1. A key',
            'Whoever runs this service gives you an API token. Keep it in an environment variable, never in code. Its owner’s wallet pays.',
          ],
          [
            '2. An address',
            'OpenAI clients take the address of this site with `/v1`, those of Anthropic and Google without a path.',
          ],
          [
            '3. A model',
            '`GET /v1/models` lists what the key can use. A plain client gets an array, the official clients the lists that they expect.',
          ],
        ],
      },
      {
        title: 'Streams',
        points: [
          [
            'Ask for them as usual',
            'With `stream: true`, or at Gemini’s `:streamGenerateContent`. While a provider is silent the client hears every 15 seconds that the gateway is alive.',
          ],
          [
            'Look at the end',
            'A stream that breaks off says so in an event and leaves its usual end out. Take an answer for whole only when that end came.',
          ],
        ],
      },
      {
        title: 'Limits',
        points: [
          [
            'Of a key',
            'Requests and tokens a minute, and requests at once. Beyond them the answer is 429 with `retry-after`; `x-ratelimit-…` says how much is left.',
          ],
          [
            'How tokens count',
            'A request reserves its input and the bound of its output at its start, and gives back what it did not use. A sensible `max_tokens` lets more requests through.',
          ],
        ],
      },
      {
        title: 'Errors',
        points: [
          [
            'In your client’s own form',
            'The shape of an error is that of the protocol asked, with `detail` beside it. `x-should-retry` says whether another try makes sense.',
          ],
          ['`402`', 'The wallet is empty.'],
          [
            '`403`',
            'The key lacks the right, a lock forbids it, or what was asked has no price. The message says which.',
          ],
          ['`422`', 'Fields are wrong; up to twenty of them are listed in `error.fields`.'],
          ['`502`, `503`, `504`', 'Every provider of the model failed, was overloaded or too slow.'],
          ['When you ask for help', 'Give the `x-request-id` of the answer.'],
        ],
      },
    ],
  },
};
