import { describe, expect, test } from 'bun:test';
import { chatClient, chatUpstream } from './chat-completions/protocol.ts';
import { isJsonObject } from './json-body.ts';
import { messagesClient, messagesUpstream } from './messages/protocol.ts';
import { hasRecordings, type RecordedProtocol, readRecording, recordedCases } from './testing/recordings.ts';
import type { TurnRequest } from './turn/request.ts';

const clients = { anthropic: messagesClient, 'chat-completions': chatClient() } as const;
const upstreams = { anthropic: messagesUpstream, 'chat-completions': chatUpstream() } as const;

/** What the two recordings of a case were not asked alike, so that no conversion could make them equal. */
const askedDifferently: Readonly<Record<string, readonly (keyof Outline)[]>> = {
  chatCompletionsAnthropicCacheControlParam: ['texts'],
  parallelToolCallsDisabledParam: ['texts'],
  promptCacheKeyParam: ['system'],
};

interface Outline {
  readonly system: readonly string[];
  readonly blocks: readonly string[];
  readonly texts: readonly string[];
  readonly tools: readonly unknown[];
  readonly toolChoice: unknown;
  readonly parallel: boolean;
  readonly format: unknown;
  readonly effort: unknown;
  readonly temperature: unknown;
  readonly stream: boolean;
}

/** A request without what differs between any two recordings: model, ids, the bound that only one protocol demands. */
function outline(turn: TurnRequest): Outline {
  const all = turn.messages.flatMap(({ role, content }) => content.map((block) => ({ role, block })));
  const format = turn.responseFormat;
  return {
    system: turn.system.map(({ text }) => text),
    blocks: all.map(({ role, block }) => `${role} ${block.type}`),
    texts: all.flatMap(({ block }) => (block.type === 'text' ? [block.text] : [])),
    tools: turn.tools.map((tool) =>
      tool.kind === 'function'
        ? [tool.name, tool.description, Object.keys(tool.schema['properties'] ?? {})]
        : tool.kind,
    ),
    toolChoice: turn.toolChoice,
    parallel: turn.parallelToolUse,
    format: format?.type === 'json_schema' ? { schema: format.schema, strict: format.strict } : format,
    effort: turn.reasoning?.effort,
    temperature: turn.sampling.temperature,
    stream: turn.stream,
  };
}

function parse(text: string): Record<string, unknown> {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error('a request that is no JSON object');
  return json;
}

function convertRecorded(text: string, from: RecordedProtocol, to: RecordedProtocol): TurnRequest {
  const model = to === 'anthropic' ? 'claude-opus-4-6' : 'gpt-x';
  return clients[to].readRequest(
    parse(upstreams[to].writeRequest(clients[from].readRequest(parse(text)), { id: model })),
  );
}

const directions = [
  ['anthropic', 'chat-completions'],
  ['chat-completions', 'anthropic'],
] as const;
const cases = recordedCases('anthropic', 'chat-completions').flatMap((name) =>
  directions.map(([from, to]) => ({ name, from, to })),
);

describe.skipIf(!hasRecordings)(
  'recorded requests (the recordings are not here when this is skipped)',
  () => {
    test('are there in both protocols', () => {
      expect(cases.length).toBeGreaterThan(15);
    });

    test.each(cases)('$name: from $from it becomes what was recorded for $to', ({ name, from, to }) => {
      const own = readRecording(name, from, 'request');
      const other = readRecording(name, to, 'request');
      if (own === null || other === null) throw new Error('the recording has no request');
      const converted = outline(convertRecorded(own, from, to));
      const recorded = outline(clients[to].readRequest(parse(other)));
      const differing = askedDifferently[name] ?? [];
      const comparable = (one: Outline) =>
        Object.fromEntries(
          Object.entries(one).filter(([part]) => !differing.some((other) => other === part)),
        );
      expect(comparable(converted)).toEqual(comparable(recorded));
    });

    test.each(cases)('$name: the second turn from $from keeps its outline as $to', ({ name, from, to }) => {
      const own = readRecording(name, from, 'followup-request');
      if (own === null) return;
      const { effort: _own, ...before } = outline(clients[from].readRequest(parse(own)));
      const { effort: _converted, ...after } = outline(convertRecorded(own, from, to));
      expect(after).toEqual(before);
    });
  },
);
