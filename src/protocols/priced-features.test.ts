import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { isJsonObject } from './json/fields.ts';
import { pricedFeaturesOf, withoutFeatures } from './priced-features.ts';

const requestOf = (fields: object) => {
  const json = { model: 'm', ...fields };
  return { text: JSON.stringify(json), json, model: 'm', stream: false, wantsStreamUsage: false };
};

const names = (client: string, fields: object) =>
  pricedFeaturesOf(client, requestOf(fields).json).map(({ name }) => name);

describe('what costs more than its tokens', () => {
  test.each([
    [
      'responses',
      { tools: [{ type: 'function' }, { type: 'custom' }, { type: 'mcp' }, { type: 'shell' }] },
      [],
    ],
    ['responses', { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }, ['shell']],
    ['responses', { tools: { type: 'web_search' } }, ['web_search']],
    ['responses', { service_tier: 'flex' }, []],
    ['responses', { service_tier: 'Priority' }, ['service_tier: Priority']],
    ['messages', { tools: [{ name: 'own' }, { type: 'bash_20250124' }, { type: 'mcp_toolset' }] }, []],
    ['messages', { tools: [{ type: 'advisor_20260301' }], inference_geo: 'global' }, ['advisor_20260301']],
    ['google', { tools: [{ functionDeclarations: [], codeExecution: {} }, { urlContext: {} }] }, []],
    ['google', { tools: [{ enterpriseWebSearch: {} }] }, ['enterpriseWebSearch']],
    [
      'chat-completions',
      { tools: [{ type: 'code_interpreter' }], modalities: ['text'] },
      ['code_interpreter'],
    ],
    ['native', { tools: [{ type: 'web_search' }] }, []],
  ])('%s %j: %p', (client, fields, expected) => {
    expect(names(client, fields)).toEqual(expected);
  });

  test('what goes is gone, and everything else stays as it was, whatever stands between', () => {
    const free = fc.constantFrom<unknown>({ type: 'function', name: 'f' }, 7, null, 'text', {
      type: 'custom',
      name: 'c',
    });
    const priced = fc.constantFrom<unknown>({ type: 'web_search' }, { type: 'teleport', n: 1 });
    fc.assert(
      fc.property(fc.array(fc.oneof(free, priced)), (tools) => {
        const request = requestOf({ tools });
        const features = pricedFeaturesOf('responses', request.json);
        const kept = tools.filter(
          (each) => !isJsonObject(each) || each['type'] === 'function' || each['type'] === 'custom',
        );
        const fitted = withoutFeatures('responses', request, features);
        if (features.length > 0 && !kept.some(isJsonObject)) {
          expect(fitted).toBeNull();
          return;
        }
        expect(fitted?.json['tools']).toEqual(kept);
        expect(JSON.parse(fitted?.text ?? '')).toEqual(JSON.parse(JSON.stringify(fitted?.json)));
      }),
    );
  });
});
