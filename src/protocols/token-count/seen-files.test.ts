import { describe, expect, test } from 'bun:test';
import { seeFiles } from './seen-files.ts';

const data = 'A'.repeat(400_000);
const imageTokens = 5000;

const chat = (...content: readonly object[]) => ({ messages: [{ role: 'user', content }] });
const google = (...parts: readonly object[]) => ({ contents: [{ role: 'user', parts }] });

describe('a file in a request', () => {
  const pdf = { type: 'base64', media_type: 'application/pdf', data };
  test.each<[string, string, object, number]>([
    [
      'an image',
      'chat-completions',
      chat({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }),
      imageTokens,
    ],
    [
      'an image in a tool’s result',
      'messages',
      chat({
        type: 'tool_result',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }],
      }),
      imageTokens,
    ],
    [
      'an image',
      'responses',
      {
        input: [
          { role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${data}` }] },
        ],
      },
      imageTokens,
    ],
    ['an image', 'google', google({ inlineData: { mimeType: 'image/png', data } }), imageTokens],
    ['a PDF', 'messages', chat({ type: 'document', source: pdf }), 300 * 3000],
    [
      'a wave file',
      'chat-completions',
      chat({ type: 'input_audio', input_audio: { data, format: 'wav' } }),
      38 * 32,
    ],
    ['packed sound', 'google', google({ inline_data: { mime_type: 'audio/ogg', data } }), 400 * 32],
  ])('such as %s in %s is no text', (_name, protocol, json, tokens) => {
    const seen = seeFiles(protocol, JSON.parse(JSON.stringify(json)), imageTokens);
    expect(seen.characters).toBeWithin(data.length, data.length + 30);
    expect(seen.tokens).toBe(tokens);
  });

  const far = 'https://files.example.test/a.pdf';
  const inline = `data:image/png;base64,${data}`;
  const imagePart = { type: 'image_url', image_url: { url: inline } };
  const source = { type: 'url', url: far };
  const result = (...content: readonly object[]) => chat({ type: 'tool_result', content });
  const input = (...content: readonly object[]) => ({ input: [{ role: 'user', content }] });
  const call = { type: 'image_generation_call', result: data };
  test.each<[string, string, object, object]>([
    ['text', 'responses', input({ type: 'input_file', text: '', file_url: far }), { unseenTokens: 300_000 }],
    [
      'a role',
      'responses',
      input({ type: 'input_file', role: '', file_url: far }),
      { unseenTokens: 300_000 },
    ],
    ['a role', 'responses', { input: [{ ...call, role: 'user' }] }, { tokens: imageTokens }],
    ['text', 'responses', { input: [{ ...input(imagePart).input[0], text: '' }] }, { tokens: imageTokens }],
    ['text', 'chat-completions', chat({ ...imagePart, text: '' }), { tokens: imageTokens }],
    ['text', 'chat-completions', { messages: [{ text: '', content: [imagePart] }] }, { tokens: imageTokens }],
    [
      'a type',
      'chat-completions',
      { messages: [{ type: 'text', role: 'user', content: [imagePart] }] },
      { tokens: imageTokens },
    ],
    [
      'a type',
      'messages',
      { messages: [{ type: 'reasoning', role: 'user', content: [{ type: 'document', source }] }] },
      { unseenTokens: 300_000 },
    ],
    ['another place', 'chat-completions', chat({ ...imagePart, source: {} }), { tokens: imageTokens }],
    [
      'another name',
      'responses',
      input({ type: 'input_image', data: ' ', image_url: inline }),
      { tokens: 10_000 },
    ],
    ['text', 'messages', result({ type: 'document', text: '', source }), { unseenTokens: 300_000 }],
    [
      'a list',
      'messages',
      chat({ type: 'document', source: { ...source, content: [] } }),
      { unseenTokens: 300_000 },
    ],
    [
      'a result',
      'messages',
      result({ type: 'search_result', source: 'a', content: [{ type: 'image', source: { ...source } }] }),
      { tokens: imageTokens },
    ],
    [
      'text',
      'google',
      google({ text: '', inlineData: { mimeType: 'image/png', data } }),
      { tokens: imageTokens },
    ],
    ['a type', 'google', google({ type: 'text', fileData: { fileUri: far } }), { unseenTokens: 300_000 }],
    [
      'a type',
      'google',
      google({ type: 'image', file_data: { media_type: 'image/png', file_uri: far } }),
      { unseenTokens: 300_000 },
    ],
    [
      'a type',
      'google',
      google({ type: 'text/', inlineData: { media_type: 'text/plain', mimeType: 'image/png', data } }),
      { tokens: imageTokens },
    ],
    [
      'another kind',
      'messages',
      chat({ type: 'document', source: { ...source, media_type: 'image/png' } }),
      { unseenTokens: 300_000 },
    ],
  ])('is seen behind %s in %s that its reader passes over', (_name, protocol, json, expected) => {
    expect(seeFiles(protocol, json as Record<string, unknown>, imageTokens)).toMatchObject(expected);
  });

  test('is what it says of itself in front of its bytes, whatever part it stands in', () => {
    const url = `data:application/pdf;base64,${data}`;
    const asFile = chat({ type: 'file', file: { file_data: url } });
    const seen = seeFiles('chat-completions', asFile, imageTokens);
    expect(seen.tokens).toBeGreaterThan(0);
    for (const part of [
      { type: 'image_url', image_url: { url } },
      { type: 'file', file: { file_data: url, format: 'image' } },
      { type: 'file', file: { file_data: url, format: 'audio' } },
    ]) {
      expect(seeFiles('chat-completions', chat(part), imageTokens)).toMatchObject({ tokens: seen.tokens });
    }
  });

  test('is none that a message has beside its content', () => {
    const messages = [{ role: 'user', content: 'a', url: far }];
    for (const [protocol, json] of [
      ['chat-completions', { messages }],
      ['responses', { input: messages }],
    ] as const)
      expect(seeFiles(protocol, json, imageTokens)).toMatchObject({ tokens: 0, unseenTokens: 0 });
  });

  test('that is elsewhere is not seen', () => {
    const source = { type: 'url', url: 'https://files.example.test/a.pdf' };
    expect(seeFiles('messages', chat({ type: 'document', source }), imageTokens)).toMatchObject({
      ...{ characters: 0, tokens: 0 },
      unseenTokens: 300_000,
    });
  });

  test('that is text is counted as text', () => {
    const source = { type: 'text', media_type: 'text/plain', data };
    expect(seeFiles('messages', chat({ type: 'document', source }), imageTokens)).toMatchObject({
      ...{ characters: 0, tokens: 0 },
    });
  });
});

test.each<[object, boolean]>([
  [chat({ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } }), true],
  [{ ...chat(), system: [{ type: 'text', text: 'a', cache_control: { ttl: '1h' } }] }, true],
  [{ ...chat(), tools: [{ name: 'a', cache_control: { ttl: '1h' } }] }, true],
  [{ ...chat(), cache_control: { type: 'ephemeral', ttl: '1h' } }, true],
  [chat({ type: 'text', text: '"1h"', cache_control: { type: 'ephemeral' } }), false],
])('%j is stored for an hour: %p', (json, isStored) => {
  const seen = seeFiles('messages', json as Record<string, unknown>, imageTokens);
  expect(seen.isStoredForAnHour).toBe(isStored);
});

test.each<[string, object]>([
  ['responses', { input: 'go on', previous_response_id: 'resp_1' }],
  ['responses', { input: [{ type: 'item_reference', id: 'rs_1' }] }],
  ['google', { contents: [], cachedContent: 'cachedContents/1' }],
])('in %s, %j refers back', (protocol, json) => {
  expect(seeFiles(protocol, json as Record<string, unknown>, imageTokens).refersBack).toBe(true);
});
