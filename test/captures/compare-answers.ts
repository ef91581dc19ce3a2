/** Every recorded answer and stream to every protocol that callers speak, as the official client understands it. */
import {
  asNumber,
  asObject,
  asObjects,
  asText,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../../src/protocols/json/fields.ts';
import {
  type RecordedProtocol,
  readRecording,
  recordedCases,
  recordedProtocols,
} from '../../src/protocols/testing/recordings.ts';
import { differences, type Finding } from './finding.ts';
import { foldStream, writeFrames } from './fold-stream.ts';
import { askThrough, type Tamper } from './official-clients.ts';
import { readSaid } from './said.ts';

const files = ['response', 'followup-response'] as const;

export async function compareAnswers(): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const name of recordedCases()) {
    for (const from of recordedProtocols) {
      for (const file of files) {
        for (const to of recordedProtocols.filter((client) => client !== from)) {
          const whole = readRecording(name, from, file);
          if (whole !== null)
            findings.push(await compareWhole({ kind: 'answer', name, file, from, to }, whole));
          const streamed = readRecording(name, from, `${file}-streaming`);
          if (streamed !== null)
            findings.push(await compareStreamText({ kind: 'stream', name, file, from, to }, streamed));
        }
      }
    }
  }
  return findings;
}

export type Compared = Pick<Finding, 'kind' | 'name' | 'file' | 'from' | 'to'>;

export async function compareWhole(of: Compared, text: string, tamper?: Tamper): Promise<Finding> {
  const recorded: unknown = tryParseJson(text);
  return judge(of, recorded, () => askThrough(of.to, of.from, { whole: text, tamper }));
}

async function compareStreamText(of: Compared, text: string): Promise<Finding> {
  return compareStream(of, asObjects(tryParseJson(text)));
}

export async function compareStream(
  of: Compared,
  events: readonly JsonObject[],
  tamper?: Tamper,
): Promise<Finding> {
  const stream = writeFrames(of.from, events);
  return judge(of, foldStream(of.from, events), () => askThrough(of.to, of.from, { stream, tamper }));
}

async function judge(of: Compared, recorded: unknown, ask: () => Promise<unknown>): Promise<Finding> {
  const expected = readSaid(of.from, recorded);
  let found: unknown;
  try {
    found = await ask();
  } catch (thrown) {
    return { ...of, outcome: 'failure', details: [String(thrown)] };
  }
  const details = [...differences(expected, readSaid(of.to, found)), ...mistakesOf(of.to, found)];
  if (details.length > 0) return { ...of, outcome: 'failure', details };
  const left = vendorContent(recorded);
  return left.length === 0
    ? { ...of, outcome: 'match', details: [] }
    : { ...of, outcome: 'loss', details: [`content of vendor tools: ${left.join(', ')}`] };
}

/** What must hold of every answer that we write, whatever was recorded. */
function mistakesOf(protocol: RecordedProtocol, found: unknown): string[] {
  const answer = asObject(found) ?? {};
  const [choice] = asObjects(answer['choices']);
  const [candidate] = asObjects(answer['candidates']);
  const parts = asObjects(asObject(candidate?.['content'])?.['parts']);
  const calls = [
    ...asObjects(asObject(choice?.['message'])?.['tool_calls']),
    ...asObjects(answer['content']).filter(({ type }) => type === 'tool_use'),
    ...asObjects(answer['output']).filter(({ type }) => type === 'function_call'),
    ...parts.map(({ functionCall }) => functionCall).filter(isJsonObject),
  ];
  const ids = calls.map((call) => call[protocol === 'responses' ? 'call_id' : 'id']);
  const usage = asObject(answer['usage']) ?? asObject(answer['usageMetadata']);
  return [
    ...(ids.includes(undefined) || new Set(ids).size < ids.length ? ['calls without ids of their own'] : []),
    ...(isSum(protocol, usage) ? [] : ['the counts of usage do not add up']),
    ...lostPieces(protocol, answer),
  ];
}

/** Messages have no total, and some recordings count nothing. */
function isSum(protocol: RecordedProtocol, usage: JsonObject | undefined): boolean {
  if (usage === undefined) return true;
  const { total, of } = totals[protocol];
  const sum = of.reduce((before, name) => before + (asNumber(usage[name]) ?? 0), 0);
  return total === undefined || sum === usage[total];
}

const totals: Readonly<Record<RecordedProtocol, { total: string | undefined; of: readonly string[] }>> = {
  anthropic: { total: undefined, of: [] },
  'chat-completions': { total: 'total_tokens', of: ['prompt_tokens', 'completion_tokens'] },
  responses: { total: 'total_tokens', of: ['input_tokens', 'output_tokens'] },
  google: {
    total: 'totalTokenCount',
    of: ['promptTokenCount', 'toolUsePromptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount'],
  },
};

/** The pieces of a stream against the whole that ends it. */
function lostPieces(protocol: RecordedProtocol, answer: JsonObject): string[] {
  const pieces = asObject(answer['pieces']);
  if (pieces === undefined) return [];
  const { text, thinking } = readSaid(protocol, answer);
  const written = asObjects(answer['output']).map((item) =>
    item['type'] === 'function_call' ? asText(item['arguments']) : '',
  );
  const whole = { text, thinking, arguments: written.join('') };
  const told = { ...pieces, thinking: String(pieces['thinking']).replaceAll(/\s/g, '') };
  return differences(whole, told).map((difference) => `in pieces: ${difference}`);
}

/** What a vendor's own tools left in the answer, which no other protocol has a place for. */
function vendorContent(recorded: unknown): string[] {
  if (!isJsonObject(recorded)) return [];
  const types = [...asObjects(recorded['content']), ...asObjects(recorded['output'])].map(({ type }) =>
    String(type),
  );
  return types.filter((type) => !ordinary.has(type));
}

const ordinary: ReadonlySet<string> = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
]);
