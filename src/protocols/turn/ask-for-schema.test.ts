import { describe, expect, test } from 'bun:test';
import { writeConverseTurn } from '../converse/write-request.ts';
import type { JsonObject } from '../json/fields.ts';
import { writeMessagesTurn } from '../messages/write-request.ts';
import type { TurnRequest } from './request.ts';

const map = { type: 'object', additionalProperties: { type: 'integer' } };
const row = { type: 'object', properties: { a: { type: 'integer' } } };
const model = { id: 'anthropic.claude-sonnet-4-6' };

const turn = (schema: JsonObject): TurnRequest => ({
  system: [{ type: 'text', text: 'Count.' }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  tools: [{ kind: 'function', name: 'count', schema: schema, strict: true }],
  responseFormat: { type: 'json_schema', schema: schema, strict: true },
  parallelToolUse: true,
  stopSequences: [],
  sampling: {},
  stream: false,
  vendor: {},
});

describe.each([
  ['messages', (asked: TurnRequest) => writeMessagesTurn(asked, model), 'output_config'],
  ['Converse', (asked: TurnRequest) => writeConverseTurn(asked, model), 'outputConfig'],
] as const)('a schema in %s', (_name, write, place) => {
  test('that is a map is told in words, since it would be answered with nothing', () => {
    const written = JSON.parse(write(turn(map)));
    expect(written).not.toHaveProperty(place);
    expect(JSON.stringify(written.system)).toContain(JSON.stringify(JSON.stringify(map)).slice(1, -1));
    expect(JSON.stringify(written)).not.toContain('"strict":true');
    expect(JSON.stringify(written)).not.toContain('"additionalProperties":false');
  });

  test('that names its properties is enforced', () => {
    const written = JSON.parse(write(turn(row)));
    expect(written).toHaveProperty(place);
    expect(JSON.stringify(written.system)).not.toContain('JSON');
    expect(JSON.stringify(written)).toContain('"strict":true');
  });
});
