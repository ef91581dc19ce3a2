/** Google's official client, unchanged, against every upstream protocol. */
import { describe, expect, test } from 'bun:test';
import {
  type Content,
  FinishReason,
  FunctionCallingConfigMode,
  type GenerateContentConfig,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from '@google/genai';
import { runMatrix } from '../support/matrix/run-matrix.ts';
import { weather } from '../support/matrix/scene.ts';
import type { Call, Heard, MatrixClient, Talk, TalkOptions } from '../support/matrix/talk.ts';
import { upstreamCases } from '../support/matrix/upstreams.ts';
import type { TestSluice } from '../support/sluice.ts';

const thinkingBudget = 1500;

const clientFor = ({ url, token }: TestSluice): GoogleGenAI =>
  new GoogleGenAI({ apiKey: token, httpOptions: { baseUrl: url } });

class GoogleTalk implements Talk {
  readonly #client: GoogleGenAI;
  readonly #model: string;
  readonly #streamed: boolean;
  readonly #contents: Content[] = [];

  constructor(client: GoogleGenAI, model: string, streamed: boolean) {
    this.#client = client;
    this.#model = model;
    this.#streamed = streamed;
  }

  say(words: string, options: TalkOptions = {}): Promise<Heard> {
    const { image } = options;
    const shown = image === undefined ? [] : [{ inlineData: { mimeType: 'image/png', data: image } }];
    return this.#ask([...shown, { text: words }], options);
  }

  answer(calls: readonly Call[], results: readonly string[], options: TalkOptions = {}): Promise<Heard> {
    const parts = calls.map(({ id, name }, index) => ({
      functionResponse: {
        name,
        response: { output: results[index] ?? '' },
        ...(id.startsWith(withoutId) ? {} : { id }),
      },
    }));
    return this.#ask(parts, options);
  }

  async #ask(parts: readonly Part[], options: TalkOptions): Promise<Heard> {
    this.#contents.push({ role: 'user', parts: [...parts] });
    const contents = [...this.#contents];
    const asked = { model: options.model ?? this.#model, contents, config: configOf(options) };
    const { models } = this.#client;
    const pieces: GenerateContentResponse[] = [];
    if (!this.#streamed) pieces.push(await models.generateContent(asked));
    else for await (const piece of await models.generateContentStream(asked)) pieces.push(piece);
    const heard = heardOf(pieces);
    const said = joinTexts(partsOf(pieces));
    this.#contents.push({ role: 'model', parts: said });
    return heard;
  }
}

function configOf(options: TalkOptions): GenerateContentConfig {
  const { system, maxTokens, stop, tools, demands, thinks, schema, temperature } = options;
  const functionDeclarations = tools?.map(({ name, parameters }) => ({
    name,
    parametersJsonSchema: parameters,
  }));
  return {
    ...(system !== undefined && { systemInstruction: system }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(stop !== undefined && { stopSequences: ['never', stop] }),
    ...(thinks && { thinkingConfig: { includeThoughts: true, thinkingBudget } }),
    ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
    ...(functionDeclarations && { tools: [{ functionDeclarations }] }),
    ...(demands !== undefined && {
      toolConfig: {
        functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: [demands] },
      },
    }),
  };
}

/** The ids of calls that have none, of which older models make such. */
const withoutId = 'without an id ';

const partsOf = (pieces: readonly GenerateContentResponse[]): readonly Part[] =>
  pieces.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);

/** Text is put together as a program does that shows it; what is signed and what is thought stays as it came. */
function joinTexts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const isPlain = Object.keys(part).length === 1 && part.text !== undefined;
    if (isPlain && last !== undefined && Object.keys(last).length === 1 && last.text !== undefined)
      joined[joined.length - 1] = { text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

const stops: Readonly<Record<string, Heard['stop']>> = {
  [FinishReason.STOP]: 'end',
  [FinishReason.MAX_TOKENS]: 'length',
  [FinishReason.SAFETY]: 'refusal',
};

function heardOf(pieces: readonly GenerateContentResponse[]): Heard {
  const parts = partsOf(pieces);
  const calls = parts.flatMap(({ functionCall }, index) => {
    if (functionCall === undefined) return [];
    const { id = `${withoutId}${index}`, name = '', args } = functionCall;
    return [{ id, name, input: args ?? {} }];
  });
  const reasons = pieces.flatMap(({ candidates }) => candidates?.[0]?.finishReason ?? []);
  const [reason] = reasons;
  if (reason === undefined) throw new Error('the answer has no end');
  const ended = stops[reason] ?? 'other';
  const usage = pieces.findLast(({ usageMetadata }) => usageMetadata !== undefined)?.usageMetadata;
  const textOf = (wanted: boolean) =>
    parts.map(({ text, thought }) => ((thought === true) === wanted ? (text ?? '') : '')).join('');
  return {
    text: textOf(false),
    thinking: textOf(true),
    calls,
    stop: ended === 'end' && calls.length > 0 ? 'tools' : ended,
    stopSequence: null,
    usage: {
      input: usage?.promptTokenCount ?? 0,
      cached: usage?.cachedContentTokenCount ?? 0,
      output: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
    },
  };
}

const client: MatrixClient = {
  name: 'the Google client',
  endpoint: '/v1beta/models/{model}:generateContent',
  protocol: 'generateContent',
  asksToSee: true,
  stops: true,
  namesStop: false,
  open: (sluice, model, streamed) => new GoogleTalk(clientFor(sluice), model, streamed),
};

const sluice = runMatrix(client);

describe.each([...upstreamCases])('the chats of the Google client over $protocol', ({ model }) => {
  test.each([false, true])('keep what was said, and call tools (streamed: %p)', async (streamed) => {
    sluice().upstream.enqueue(
      { generate: { text: 'To the sea.' } },
      { generate: { toolCalls: 2 } },
      { generate: { text: 'Wet.' } },
    );
    const { name, parameters } = weather;
    const tools = [{ functionDeclarations: [{ name, parametersJsonSchema: parameters }] }];
    const chat = clientFor(sluice()).chats.create({ model, config: { tools } });
    const send = async (message: string | Part[]): Promise<readonly GenerateContentResponse[]> => {
      if (!streamed) return [await chat.sendMessage({ message })];
      const pieces: GenerateContentResponse[] = [];
      for await (const piece of await chat.sendMessageStream({ message })) pieces.push(piece);
      return pieces;
    };
    expect(heardOf(await send('Where does the river go?')).text).toBe('To the sea.');
    const { calls } = heardOf(await send('How is the weather there, and here?'));
    expect(calls).toHaveLength(2);
    const results = calls.map((call) => ({
      functionResponse: {
        name: call.name,
        response: { output: 'rain' },
        ...(call.id.startsWith(withoutId) ? {} : { id: call.id }),
      },
    }));
    expect(heardOf(await send(results)).text).toBe('Wet.');
    // Passed through, the words are still in the pieces in which the client keeps them.
    expect(sluice().upstream.requests.at(-1)?.bodyText).toMatch(/To.*the.*sea\./);
  });
});
