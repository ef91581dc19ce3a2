import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { isJsonObject } from './json/fields.ts';
import { declaresHosted, pricedFeaturesOf } from './priced-features.ts';
import { withoutFeatures } from './without-features.ts';

const requestOf = (fields: object) => {
  const json = { model: 'm', ...fields };
  return { text: JSON.stringify(json), json, model: 'm', stream: false, wantsStreamUsage: false };
};

const names = (client: string, fields: object) =>
  pricedFeaturesOf(client, requestOf(fields).json).map(({ name }) => name);

const group = (...tools: readonly object[]) => ({ type: 'namespace', name: 'group', tools });
const later = (...tools: readonly object[]) => ({ type: 'additional_tools', role: 'developer', tools });

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
    ['responses', { tools: [group({ type: 'web_search' }, { type: 'function' })] }, ['web_search']],
    [
      'responses',
      { input: [later(group({ type: 'web_search' })), later({ type: 'shell' })] },
      ['web_search'],
    ],
    ['responses', { input: [later({ type: 'function' }, group())] }, []],
  ])('%s %j: %p', (client, fields, expected) => {
    expect(names(client, fields)).toEqual(expected);
  });

  test('is told of in an answer whose request declares such tools, wherever they stand', () => {
    const own = { type: 'function', name: 'f' };
    expect(declaresHosted({ tools: [own, group(own)], input: [later(own)] })).toBe(false);
    expect(declaresHosted({ tools: [own, group({ type: 'web_search' })] })).toBe(true);
    expect(declaresHosted({ input: [later({ type: 'web_search' })] })).toBe(true);
  });

  test('goes out of groups and out of the conversation too, with those that it leaves empty', () => {
    const own = { type: 'function', name: 'f', parameters: { big: 12345678901234 } };
    const search = { type: 'web_search' };
    const fit = (fields: object) => {
      const request = requestOf(fields);
      return withoutFeatures('responses', request, pricedFeaturesOf('responses', request.json));
    };
    const said = { role: 'user', content: 'Hi' };
    const found = { type: 'tool_search_output', call_id: 's', tools: [search] };
    const fitted = fit({
      tools: [search, group(search), group(search, own)],
      input: [said, later(search), later(own, group(search)), found],
    });
    const left = { tools: [group(own)], input: [said, later(own), { ...found, tools: [] }] };
    expect(fitted?.json).toEqual({ model: 'm', ...left });
    expect(fitted?.text).toBe(JSON.stringify({ model: 'm', ...left }));
    expect(fit({ tools: [group(search)], input: [later(search)] })).toBeNull();
    expect(fit({ input: [said, later(search, own)] })?.json).not.toHaveProperty('tools');
    expect(fit({ input: [later(search, own)], tool_choice: { type: 'web_search' } })).toBeNull();
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
