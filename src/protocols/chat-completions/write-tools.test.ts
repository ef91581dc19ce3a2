import { describe, expect, test } from 'bun:test';
import { asObject } from '../json/fields.ts';
import type { TurnRequest } from '../turn/request.ts';
import { type ChatDialect, compatibleDialect, hostDialect, openaiDialect } from './dialect.ts';
import {
  writeAnswerSchema,
  writeParameters,
  writeToolChoice,
  writeToolFields,
  writeTools,
} from './write-tools.ts';

const patch = { kind: 'custom', name: 'patch', format: { type: 'text' } } as const;
const look = { kind: 'function', name: 'look', schema: { type: 'object' } } as const;
const request: TurnRequest = {
  system: [],
  messages: [],
  tools: [patch, look],
  parallelToolUse: true,
  stopSequences: [],
  sampling: {},
  stream: false,
  vendor: {},
};

test('a search stays where the host can be told to call nothing only by leaving the functions out', () => {
  const search = { kind: 'vendor', type: 'web_search', json: { type: 'web_search' } } as const;
  const asked: TurnRequest = { ...request, tools: [look, search], toolChoice: { type: 'none' } };
  const dialect: ChatDialect = { ...hostDialect, webSearch: /./, toolChoices: ['required', 'tool'] };
  expect(writeToolFields(asked, { id: 'm' }, dialect)).toEqual({ web_search_options: {} });
});

test('tools with free text stay such, and are chosen as such', () => {
  expect(writeTools(request.tools, { id: 'm' }, openaiDialect)).toMatchObject([
    { type: 'custom', custom: { name: 'patch', format: { type: 'text' } } },
    { type: 'function', function: { name: 'look' } },
  ]);
  expect(writeToolChoice({ ...request, toolChoice: { type: 'tool', name: 'patch' } })).toEqual({
    type: 'custom',
    custom: { name: 'patch' },
  });
  const toolChoice = { type: 'allowed', names: ['patch', 'look'], required: true } as const;
  expect(writeToolChoice({ ...request, toolChoice })).toEqual({
    type: 'allowed_tools',
    allowed_tools: {
      mode: 'required',
      tools: [
        { type: 'custom', custom: { name: 'patch' } },
        { type: 'function', function: { name: 'look' } },
      ],
    },
  });
});

test('a tool is strict only where its schema can be', () => {
  const closed = { type: 'object', properties: {}, additionalProperties: false } as const;
  const written = (schema: Readonly<Record<string, unknown>>, strict?: boolean) =>
    writeTools([{ kind: 'function', name: 'look', schema, strict }], { id: 'm' }, openaiDialect)[0];
  expect(written(closed, true)).toMatchObject({ function: { strict: true } });
  expect(written({ type: 'object' }, true)).toMatchObject({
    function: { strict: false, parameters: { type: 'object', properties: {} } },
  });
  expect(written({})).toMatchObject({
    function: { name: 'look', parameters: { type: 'object', properties: {} } },
  });
});

describe('alternatives at the root of the arguments', () => {
  const schema = { type: 'object', properties: {}, anyOf: [{ required: ['a'] }, { required: ['b'] }] };
  const written = (id: string, dialect: ChatDialect) => {
    const [tool] = writeTools([{ kind: 'function', name: 'look', schema }], { id }, dialect);
    return asObject(tool?.['function'])?.['parameters'];
  };

  test.each(['llama-4', 'deepseek-chat', 'gpt-oss-120b', 'qwen3', 'gemini-3-pro'])('stay for %s', (id) => {
    expect(written(id, hostDialect)).toEqual(schema);
    expect(written(id, compatibleDialect)).toEqual(schema);
  });

  test.each(['openai/gpt-5.2', 'gpt-4o', 'o4-mini', 'anthropic/claude-opus-4-6'])('go for %s', (id) => {
    expect(written(id, hostDialect)).not.toHaveProperty('anyOf');
    expect(written(id, compatibleDialect)).not.toHaveProperty('anyOf');
  });

  test('go at OpenAI, whatever a deployment is called', () => {
    expect(written('my-deployment', openaiDialect)).not.toHaveProperty('anyOf');
  });
});

test('arguments are an object with properties, even when the schema says nothing', () => {
  expect(writeParameters({})).toEqual({ type: 'object', properties: {} });
  expect(writeParameters({ type: 'object' })).toEqual({ type: 'object', properties: {} });
  expect(writeParameters({ properties: { a: { type: 'string' } } })).toEqual({
    type: 'object',
    properties: { a: { type: 'string' } },
  });
});

test('objects get properties and lists get items wherever they stand', () => {
  const schema = {
    type: 'object',
    properties: {
      list: { type: 'array' },
      maps: { type: ['array', 'null'], items: { type: 'object', additionalProperties: { type: 'array' } } },
      // A property by a telling name is no schema keyword.
      items: { anyOf: [{ type: 'object' }, { type: 'string' }] },
    },
    $defs: { open: { type: ['object', 'null'] } },
    required: ['list'],
  };
  expect(writeParameters(schema)).toEqual({
    type: 'object',
    properties: {
      list: { type: 'array', items: {} },
      maps: {
        type: ['array', 'null'],
        items: { type: 'object', additionalProperties: { type: 'array', items: {} }, properties: {} },
      },
      items: { anyOf: [{ type: 'object', properties: {} }, { type: 'string' }] },
    },
    $defs: { open: { type: ['object', 'null'], properties: {} } },
    required: ['list'],
  });
});

test('a schema that has all of it stays as it is; values that look like schemas do too', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'array', items: { type: 'string' }, default: [{ type: 'object' }] } },
    examples: [{ type: 'array' }],
  };
  expect(writeParameters(schema)).toEqual(schema);
});

test('an answer need not be an object where its schema has alternatives', () => {
  expect(writeAnswerSchema({ anyOf: [{ type: 'array' }] })).toEqual({
    anyOf: [{ type: 'array', items: {} }],
  });
  expect(writeAnswerSchema({ properties: { a: {} } })).toEqual({ type: 'object', properties: { a: {} } });
});
