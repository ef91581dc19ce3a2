import { describe, expect, test } from 'bun:test';
import { chatClient, chatUpstream } from '../chat-completions/protocol.ts';
import { isJsonObject } from '../json/fields.ts';
import { messagesClient, messagesUpstream } from '../messages/protocol.ts';
import { hasRecordings, readRecording, recordedCases } from '../testing/recordings.ts';
import type { TurnRequest } from '../turn/request.ts';
import { googleClient, googleUpstream } from './protocol.ts';
import { readGoogleRequest } from './request.ts';

const others = {
  anthropic: { client: messagesClient, upstream: messagesUpstream, model: 'claude-opus-4-6' },
  'chat-completions': { client: chatClient(), upstream: chatUpstream(), model: 'gpt-x' },
} as const;
type Other = keyof typeof others;
const names = ['anthropic', 'chat-completions'] as const satisfies readonly Other[];

/** Asks for tools that each vendor runs itself, which no conversion can make equal. */
const unlike = new Set(['codeInterpreterToolParam']);
/** What the two recordings of a case were not asked alike. */
const askedDifferently: Readonly<Record<string, keyof ReturnType<typeof outline>>> = {
  jsonSchemaMinimumMaximumParam: 'temperature',
};

function parse(text: string): Record<string, unknown> {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error('a request that is no JSON object');
  return json;
}

function read(name: string, protocol: Other | 'google', file = 'request'): string {
  const text = readRecording(name, protocol, file);
  if (text === null) throw new Error('the recording has no request');
  return text;
}

/** A request without what differs between any two recordings, and without how much to think, which each asks its way. */
function outline(turn: TurnRequest) {
  const all = turn.messages.flatMap(({ role, content }) => content.map((block) => ({ role, block })));
  const format = turn.responseFormat;
  return {
    system: turn.system.map(({ text }) => text),
    blocks: all.map(({ role, block }) => `${role} ${block.type}`),
    texts: all.flatMap(({ block }) => (block.type === 'text' ? [block.text] : [])),
    tools: turn.tools.map((tool) =>
      tool.kind === 'function'
        ? [tool.name, tool.description, tool.schema['type'], Object.keys(tool.schema['properties'] ?? {})]
        : tool.kind,
    ),
    toolChoice: turn.toolChoice,
    format: format?.type === 'json_schema' ? Object.keys(format.schema['properties'] ?? {}) : format?.type,
    temperature: turn.sampling.temperature,
  };
}

function comparable(name: string, turn: TurnRequest): object {
  const differing = askedDifferently[name];
  return Object.fromEntries(Object.entries(outline(turn)).filter(([part]) => part !== differing));
}

const toGoogle = (turn: TurnRequest): TurnRequest =>
  googleClient.readRequest(parse(googleUpstream.writeRequest(turn, { id: 'gemini-2.5-flash' })));

const pairs = names.flatMap((other) =>
  recordedCases('google', other)
    .filter((name) => !unlike.has(name))
    .map((name) => ({ name, other })),
);
const all = recordedCases('google').flatMap((name) =>
  ['request', 'followup-request'].flatMap((file) => {
    const text = readRecording(name, 'google', file);
    return text === null ? [] : [{ name, file, text }];
  }),
);

describe.skipIf(!hasRecordings)('recorded generateContent requests (skipped without the recordings)', () => {
  test('are there', () => {
    expect(all.length).toBeGreaterThan(30);
    expect(pairs.length).toBeGreaterThan(12);
  });

  test.each(pairs)(
    '$name: what was recorded for $other becomes what was recorded here',
    ({ name, other }) => {
      const converted = toGoogle(others[other].client.readRequest(parse(read(name, other))));
      const recorded = googleClient.readRequest(parse(read(name, 'google')));
      expect(comparable(name, converted)).toEqual(comparable(name, recorded));
    },
  );

  test.each(pairs)(
    '$name: what was recorded here becomes what was recorded for $other',
    ({ name, other }) => {
      const { client, upstream, model } = others[other];
      const turn = googleClient.readRequest(parse(read(name, 'google')));
      const converted = client.readRequest(parse(upstream.writeRequest(turn, { id: model })));
      expect(comparable(name, converted)).toEqual(
        comparable(name, client.readRequest(parse(read(name, other)))),
      );
    },
  );

  test.each(all)('$name $file: passes the check, and is the same after another writing', ({ text }) => {
    expect(() => readGoogleRequest(text, { model: 'm', stream: false })).not.toThrow();
    const turn = googleClient.readRequest(parse(text));
    expect(outline(toGoogle(turn))).toEqual(outline(turn));
  });
});
