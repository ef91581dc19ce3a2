import { describe, expect, test } from 'bun:test';
import { chatClient } from '../chat-completions/protocol.ts';
import { googleClient } from '../google/protocol.ts';
import { asNumber, asObject, asText, tryParseJson } from '../json/fields.ts';
import { messagesClient } from '../messages/protocol.ts';
import { hasRecordings, type RecordedProtocol, readRecording, recordedCases } from '../testing/recordings.ts';
import { countTurnTokens } from './count-turn.ts';

const clients = {
  anthropic: messagesClient,
  'chat-completions': chatClient(),
  google: googleClient,
} as const;
type Recorded = keyof typeof clients;

interface Comparison {
  readonly name: string;
  readonly billed: number;
  /** The estimate for the model that answered, and for one that nobody named, as multiples of what was billed. */
  readonly ratio: number;
  readonly ratioForAny: number;
}

/** What the upstream says that it was asked, whatever a cache served of it. */
const inputCounts: Readonly<Record<Recorded, readonly string[]>> = {
  anthropic: ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'],
  'chat-completions': ['prompt_tokens'],
  google: ['promptTokenCount'],
};

const jsonOf = (name: string, protocol: RecordedProtocol, file: string) =>
  asObject(tryParseJson(readRecording(name, protocol, file) ?? ''));

async function compare(name: string, protocol: Recorded, turn: string): Promise<Comparison[]> {
  const request = jsonOf(name, protocol, `${turn}request`);
  const answer = jsonOf(name, protocol, `${turn}response`);
  const usage = asObject(answer?.['usage'] ?? answer?.['usageMetadata']);
  if (request === undefined || usage === undefined) return [];
  const billed = inputCounts[protocol].reduce((sum, count) => sum + (asNumber(usage[count]) ?? 0), 0);
  const model = asText(answer?.['model'] ?? answer?.['modelVersion']);
  const asked = clients[protocol].readRequest(request);
  const [estimate, forAny] = [await countTurnTokens(asked, model), await countTurnTokens(asked)];
  return [{ name: `${name} ${turn}`, billed, ratio: estimate / billed, ratioForAny: forAny / billed }];
}

async function compareAll(protocol: Recorded): Promise<readonly Comparison[]> {
  const all: Comparison[] = [];
  for (const name of recordedCases(protocol)) {
    for (const turn of ['', 'followup-']) all.push(...(await compare(name, protocol, turn)));
  }
  return all;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Few tokens are mostly what vendors write around them, and there the ratio says little. */
const substantial = 100;

describe.skipIf(!hasRecordings)('estimates beside what was billed (skipped without recordings)', () => {
  test.each([
    { protocol: 'anthropic', most: 1.7, mostOfSubstantial: 1.6 },
    { protocol: 'chat-completions', most: 1.6, mostOfSubstantial: 1.5 },
    { protocol: 'google', most: 4, mostOfSubstantial: 2.3 },
  ] as const)(
    '$protocol: never below, and seldom far above',
    async ({ protocol, most, mostOfSubstantial }) => {
      const all = await compareAll(protocol);
      expect(all.length).toBeGreaterThan(30);
      expect(all.filter(({ ratio }) => ratio < 1)).toEqual([]);
      expect(all.filter(({ ratioForAny, ratio }) => ratioForAny < ratio)).toEqual([]);
      expect(median(all.map(({ ratio }) => ratio))).toBeLessThan(most);
      const larger = all.filter(({ billed }) => billed >= substantial);
      expect(median(larger.map(({ ratio }) => ratio))).toBeLessThan(mostOfSubstantial);
    },
  );
});
