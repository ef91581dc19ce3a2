/** The bill of each recorded answer is the sum of what it says it used, whole and streamed, passed on and converted. */
import { describe, expect, test } from 'bun:test';
import { noUsage, type Usage } from '../../src/base/token-usage.ts';
import { costNanoUsd, type Meter, type Prices } from '../../src/catalogue/index.ts';
import {
  hasRecordings,
  type RecordedProtocol,
  readRecording,
  recordedCases,
  recordedProtocols,
  recordedWholes,
} from '../../src/protocols/testing/recordings.ts';
import type { InferenceRequest, Translator } from '../../src/protocols/translator.ts';
import { clients, upstreams } from './protocols.ts';

/** Nano-USD for a million, each of its own size, so that no count can stand in for another. */
const prices = {
  input: 1_000_003n,
  cached_input: 10_000_019n,
  cache_write_5m: 100_000_007n,
  cache_write_1h: 1_000_000_007n,
  output: 10_000_000_019n,
  audio_input: 100_000_000_003n,
  audio_output: 1_000_000_000_039n,
  image_output: 3_000_000_000_013n,
  web_search: 10_000_000_000_037n,
  file_search: 30_000_000_000_029n,
  container: 70_000_000_000_009n,
  image: 100_000_000_000_031n,
  input_priority: 2_000_003n,
  output_priority: 20_000_000_089n,
} as const satisfies Prices;

type Json = Readonly<Record<string, unknown>>;
const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined),
    value,
  );
const count = (value: unknown, ...path: readonly string[]): number => Number(at(value, ...path) ?? 0);
const list = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
};

type Bill = Partial<Record<Meter, number>> & { readonly tier?: unknown };

/** What an answer says, by each protocol's own words and by nothing of the code under test. */
const billOf: Readonly<Record<RecordedProtocol, (pieces: readonly Json[]) => Bill | null>> = {
  'chat-completions': (pieces) => {
    const told = pieces.findLast((piece) => at(piece, 'usage') != null);
    if (told === undefined) return null;
    const usage = at(told, 'usage');
    const cached = count(usage, 'prompt_tokens_details', 'cached_tokens');
    const written = count(usage, 'prompt_tokens_details', 'cache_write_tokens');
    return {
      input: count(usage, 'prompt_tokens') - cached - written,
      cached_input: cached,
      cache_write_5m: written,
      output: count(usage, 'completion_tokens'),
      audio_input: count(usage, 'prompt_tokens_details', 'audio_tokens'),
      audio_output: count(usage, 'completion_tokens_details', 'audio_tokens'),
      tier: at(told, 'service_tier'),
    };
  },
  responses: (pieces) => {
    const last = pieces.at(-1);
    const response = at(last, 'response') ?? last;
    const usage = at(response, 'usage');
    if (usage == null) return null;
    const items = list(response, 'output');
    const ofType = (type: string) => items.filter((item) => at(item, 'type') === type);
    const cached = count(usage, 'input_tokens_details', 'cached_tokens');
    const written = count(usage, 'input_tokens_details', 'cache_write_tokens');
    const details = at(usage, 'server_side_tool_usage_details');
    const own = {
      web_search: ofType('web_search_call').filter(
        (item) => (at(item, 'action', 'type') ?? 'search') === 'search',
      ).length,
      file_search: ofType('file_search_call').length,
      container: new Set(items.map((item) => at(item, 'container_id')).filter((id) => id !== undefined)).size,
      image: ofType('image_generation_call').filter((item) => at(item, 'result') != null).length,
    };
    const theirs = {
      web_search: count(details, 'web_search_calls') + count(details, 'x_search_calls'),
      file_search: count(details, 'file_search_calls') + count(details, 'document_search_calls'),
      container: count(details, 'code_interpreter_calls'),
      image: count(details, 'image_generation_calls'),
    };
    return {
      input: count(usage, 'input_tokens') - cached - written,
      cached_input: cached,
      cache_write_5m: written,
      output: count(usage, 'output_tokens'),
      ...(details === undefined ? own : theirs),
      tier: at(response, 'service_tier'),
    };
  },
  anthropic: (pieces) => {
    const parts = pieces.flatMap((piece) => [at(piece, 'message'), at(piece, 'delta'), piece]);
    const usage: Record<string, unknown> = {};
    for (const part of parts) {
      for (const [name, value] of Object.entries(Object(at(part, 'usage'))))
        if (value != null) usage[name] = value;
    }
    if (usage['input_tokens'] === undefined) return null;
    const steps = list(usage, 'iterations');
    const most = (...path: readonly string[]) =>
      Math.max(
        count(usage, ...path),
        steps.reduce<number>((sum, step) => sum + count(step, ...path), 0),
      );
    const hour = most('cache_creation', 'ephemeral_1h_input_tokens');
    const searches = count(usage, 'server_tool_use', 'web_search_requests');
    const isFree = searches + count(usage, 'server_tool_use', 'web_fetch_requests') > 0;
    const hasContainer = parts.some((part) => at(part, 'container') != null);
    return {
      input: most('input_tokens'),
      cached_input: most('cache_read_input_tokens'),
      cache_write_5m: most('cache_creation_input_tokens') - hour,
      cache_write_1h: hour,
      output: most('output_tokens'),
      web_search: searches,
      container: hasContainer && !isFree ? 1 : 0,
    };
  },
  google: (pieces) => {
    const usage = at(
      pieces.findLast((piece) => at(piece, 'usageMetadata') != null),
      'usageMetadata',
    );
    if (at(usage, 'promptTokenCount') === undefined) return null;
    const cached = count(usage, 'cachedContentTokenCount');
    const of = (side: string, modality: string) =>
      list(usage, side)
        .filter((each) => at(each, 'modality') === modality)
        .reduce<number>((sum, each) => sum + count(each, 'tokenCount'), 0);
    const queries = pieces.map(
      (piece) =>
        list(piece, 'candidates').flatMap((candidate) =>
          list(candidate, 'groundingMetadata', 'webSearchQueries'),
        ).length,
    );
    const version = String(at(pieces[0], 'modelVersion'));
    const searches = Math.max(0, ...queries);
    return {
      input: count(usage, 'promptTokenCount') - cached + count(usage, 'toolUsePromptTokenCount'),
      cached_input: cached,
      output: count(usage, 'candidatesTokenCount') + count(usage, 'thoughtsTokenCount'),
      audio_input: of('promptTokensDetails', 'AUDIO'),
      audio_output: of('candidatesTokensDetails', 'AUDIO'),
      image_output: of('candidatesTokensDetails', 'IMAGE'),
      web_search: /gemini-[12]/.test(version) ? Math.min(1, searches) : searches,
    };
  },
};

/** Each line by itself, in the smallest unit, and one rounding. */
function sumOf({ tier, ...counts }: Bill): bigint {
  const isDear = tier === 'priority' || tier === 'fast';
  const input = isDear ? prices.input_priority : prices.input;
  const output = isDear ? prices.output_priority : prices.output;
  const {
    input: read = 0,
    output: written = 0,
    audio_input = 0,
    audio_output = 0,
    image_output = 0,
    ...others
  } = counts;
  const lines: readonly (readonly [number, bigint])[] = [
    [read - Math.min(audio_input, read), input],
    [Math.min(audio_input, read), prices.audio_input],
    [written - audio_output - image_output, output],
    [audio_output, prices.audio_output],
    [image_output, prices.image_output],
    ...Object.entries(others).map(([meter, used]) => [used, Reflect.get(prices, meter)] as const),
  ];
  const exact = lines.reduce((sum, [used, price]) => sum + BigInt(used) * price, 0n);
  return (exact + 500_000n) / 1_000_000n;
}

/** One that declares a tool of the vendor's own, so that answers are looked through for what it did. */
const request = (given: string | null): InferenceRequest => {
  const json = { ...JSON.parse(given ?? '{}') };
  const tools = [...(Array.isArray(json.tools) ? json.tools : []), { type: 'hosted' }];
  return { text: given ?? '{}', json: { ...json, tools }, model: 'm', stream: false, wantsStreamUsage: true };
};

const passthroughOf = (protocol: RecordedProtocol): Translator => {
  const { passthrough } = upstreams[protocol];
  if (passthrough === null) throw new Error(`${protocol} is not passed on`);
  return passthrough;
};

const cost = (usage: Usage | null): bigint => costNanoUsd(prices, usage ?? noUsage);

function wholeCosts(protocol: RecordedProtocol, text: string, asked: string | null): readonly bigint[] {
  const passed = passthroughOf(protocol).readAnswer(text, request(asked)).usage;
  return [cost(passed), cost(upstreams[protocol].readAnswer(JSON.parse(text)).usage)];
}

function streamCosts(
  protocol: RecordedProtocol,
  pieces: readonly Json[],
  asked: string | null,
): readonly bigint[] {
  const frames = pieces.map((piece) => Buffer.from(`data: ${JSON.stringify(piece)}\n\n`));
  const passing = passthroughOf(protocol).openStream(request(asked));
  for (const frame of frames) passing.push(frame);
  const reader = upstreams[protocol].openReader();
  let read: Usage | null = null;
  for (const piece of pieces) {
    const events: Parameters<typeof reader.read>[1] = [];
    reader.read(JSON.stringify(piece), events);
    for (const event of events) if (event.type === 'usage') read = event.usage;
  }
  return [cost(passing.usage), cost(read)];
}

/** Recordings of what failed, or was cut, have no end to be paid. */
const isWhole = (protocol: RecordedProtocol, pieces: readonly Json[]): boolean =>
  pieces.length > 0 && clients[protocol] !== undefined && billOf[protocol](pieces) !== null;

describe.skipIf(!hasRecordings)('the bills of recordings (not here when this is skipped)', () => {
  test.each(recordedProtocols)('%s', (protocol) => {
    let bills = 0;
    let metered = 0;
    for (const name of recordedCases(protocol)) {
      const asked = readRecording(name, protocol, 'request');
      for (const turn of ['', 'followup-']) {
        const text = readRecording(name, protocol, `${turn}response`);
        const whole: Json | null = text === null ? null : JSON.parse(text);
        if (text !== null && whole !== null && isWhole(protocol, [whole]) && at(whole, 'error') == null) {
          const bill = billOf[protocol]([whole]);
          const sum = sumOf(bill ?? {});
          expect([name, ...wholeCosts(protocol, text, asked)]).toEqual([name, sum, sum]);
          bills += 1;
          if (
            Object.entries(bill ?? {}).some(
              ([meter, used]) => !/^(input|output|cach|tier)/.test(meter) && used !== 0,
            )
          )
            metered += 1;
        }
        const streamed = readRecording(name, protocol, `${turn}response-streaming`);
        const pieces: readonly Json[] = streamed === null ? [] : JSON.parse(streamed);
        if (!isWhole(protocol, pieces)) continue;
        const sum = sumOf(billOf[protocol](pieces) ?? {});
        expect([name, 'streamed', ...streamCosts(protocol, pieces, asked)]).toEqual([
          name,
          'streamed',
          sum,
          sum,
        ]);
        bills += 1;
      }
    }
    expect(bills).toBeGreaterThan(40);
    if (protocol === 'responses' || protocol === 'google') expect(metered).toBeGreaterThan(0);
  });

  test.each([
    ['openai/responses', 'responses', 2],
    ['xai/responses', 'responses', 3],
    ['anthropic', 'anthropic', 1],
    ['google', 'google', 0],
  ] as const)('%s, with tools that the vendor ran', (folder, protocol, least) => {
    let metered = 0;
    for (const { name, text } of recordedWholes(folder)) {
      const whole: Json = JSON.parse(text);
      const bill = billOf[protocol]([whole]);
      if (bill === null) continue;
      const sum = sumOf(bill);
      expect([name, ...wholeCosts(protocol, text, null)]).toEqual([name, sum, sum]);
      if (bill.web_search || bill.file_search || bill.container || bill.image) metered += 1;
    }
    expect(metered).toBeGreaterThanOrEqual(least);
  });
});
