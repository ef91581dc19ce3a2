/** What recorded requests used is within the most that they were said to be able to use, and how far within. */
import { describe, expect, test } from 'bun:test';
import type { Model } from '../../src/catalogue/index.ts';
import { countedChatUsage, mostChatUsage } from '../../src/gateway/most-usage.ts';
import {
  asNumber,
  asObject,
  asText,
  type JsonObject,
  tryParseJson,
} from '../../src/protocols/json/fields.ts';
import {
  hasRecordings,
  type RecordedProtocol,
  readRecording,
  recordedCases,
  recordedProtocols,
} from '../../src/protocols/testing/recordings.ts';
import { clients } from './protocols.ts';

const counts: Readonly<Record<RecordedProtocol, { input: readonly string[]; output: readonly string[] }>> = {
  anthropic: {
    input: ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'],
    output: ['output_tokens'],
  },
  'chat-completions': { input: ['prompt_tokens'], output: ['completion_tokens'] },
  responses: { input: ['input_tokens'], output: ['output_tokens'] },
  google: {
    input: ['promptTokenCount', 'toolUsePromptTokenCount'],
    output: ['candidatesTokenCount', 'thoughtsTokenCount'],
  },
};

interface Comparison {
  readonly name: string;
  readonly input: number;
  readonly output: number;
  /** At once, without and with what nobody can see; and counted. */
  readonly seen: number;
  readonly most: number;
  readonly counted: number;
  readonly countedMost: number;
  readonly mostOutput: number;
}

const jsonOf = (name: string, protocol: RecordedProtocol, file: string) =>
  asObject(tryParseJson(readRecording(name, protocol, file) ?? ''));

const sum = (usage: JsonObject, names: readonly string[]) =>
  names.reduce((total, name) => total + (asNumber(usage[name]) ?? 0), 0);

/** Of a model of which nothing is known but its id. */
const modelCalled = (id: string): Model => ({
  publicId: id,
  type: 'chat',
  ownedBy: 'recorded',
  aliases: [],
  contextWindow: null,
  priceVersions: [],
  maxOutputTokens: null,
  capabilities: [],
  rescue: false,
  prices: null,
  deployments: [
    {
      provider: {
        ...{ id: 1, name: 'recorded', kind: 'openai', baseUrl: null, region: null },
        settings: {},
        credentials: [],
        isDeclared: true,
        dataClaim: null,
      },
      upstreamId: id,
      contextWindow: null,
      weight: 1,
      quantization: null,
      priceVersions: [],
    },
  ],
  routing: 'order',
  createdAtMs: 0,
});

async function compare(name: string, protocol: RecordedProtocol, turn: string): Promise<Comparison[]> {
  const text = readRecording(name, protocol, `${turn}request`);
  const json = jsonOf(name, protocol, `${turn}request`);
  const answer = jsonOf(name, protocol, `${turn}response`);
  const usage = asObject(answer?.['usage'] ?? answer?.['usageMetadata']);
  if (text === null || json === undefined || usage === undefined) return [];
  const model = modelCalled(asText(answer?.['model'] ?? answer?.['modelVersion']) ?? 'unknown');
  const client = clients[protocol];
  // Recordings are written over many lines, which clients do not do.
  const request = { text: JSON.stringify(json), json };
  const served = { model, isPassed: true, isAskedInChat: client.name === 'chat-completions' };
  const bound = mostChatUsage(client.name, request, served).usage;
  const { readRequest: readTurn } = client;
  const counted = (await countedChatUsage(client.name, request, { ...served, readTurn })).usage;
  const unseen = bound.unseen?.inputTokens ?? 0;
  return [
    {
      name: `${name} ${turn}`,
      input: sum(usage, counts[protocol].input),
      output: sum(usage, counts[protocol].output),
      seen: bound.inputTokens,
      most: bound.inputTokens + unseen,
      counted: counted.inputTokens,
      countedMost: counted.inputTokens + unseen,
      mostOutput: bound.outputTokens,
    },
  ];
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Of shorter prompts the ratio tells of the vendors' instructions and nothing else. */
const substantial = 500;

describe.skipIf(!hasRecordings)('of recorded requests', () => {
  test.each(recordedProtocols)('in %s none used more than was said', async (protocol) => {
    const all: Comparison[] = [];
    for (const name of recordedCases(protocol)) {
      for (const turn of ['', 'followup-']) all.push(...(await compare(name, protocol, turn)));
    }
    expect(all.length).toBeGreaterThan(20);
    expect(all.filter(({ input, most }) => input > most)).toEqual([]);
    expect(all.filter(({ input, countedMost }) => input > countedMost)).toEqual([]);
    expect(all.filter(({ output, mostOutput }) => output > mostOutput)).toEqual([]);
    const long = all.filter(({ input }) => input >= substantial);
    const ratios = {
      requests: all.length,
      ofAll: median(all.map(({ input, seen }) => seen / input)),
      long: long.length,
      ofLong: median(long.map(({ input, seen }) => seen / input)),
      countedOfLong: median(long.map(({ input, counted }) => counted / input)),
      countedOfAll: median(all.map(({ input, counted }) => counted / input)),
    };
    if (process.env['SLUICE_TELL_RATIOS'] !== undefined)
      process.stdout.write(`${protocol} ${JSON.stringify(ratios)}\n`);
    expect(ratios.ofAll).toBeLessThan(60);
  });
});
