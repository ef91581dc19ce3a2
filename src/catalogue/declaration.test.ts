/** The rules that a declaration keeps by itself, and where a breach is said to be. */
import { describe, expect, test } from 'bun:test';
import { checkModels, checkProviders } from './declaration.ts';
import { sampleModel, sampleProvider } from './samples.test-data.ts';

describe('checkProviders', () => {
  test('has nothing against a good list', () => {
    expect(checkProviders([sampleProvider({}), sampleProvider({ name: 'backup.2', baseUrl: null })])).toEqual(
      [],
    );
  });

  test.each([
    ['a name that cannot stand in a header', [sampleProvider({ name: 'två ord' })], [0, 'name']],
    ['a name given twice', [sampleProvider({}), sampleProvider({})], [1, 'name']],
    ['a base URL with a password', [sampleProvider({ baseUrl: 'https://me:pw@x.test' })], [0, 'base_url']],
    ['a base URL with a query', [sampleProvider({ baseUrl: 'https://x.test/?a=b' })], [0, 'base_url']],
    ['metadata', [sampleProvider({ baseUrl: 'http://169.254.169.254/v1' })], [0, 'base_url']],
    ['metadata in one number', [sampleProvider({ baseUrl: 'http://2852039166/v1' })], [0, 'base_url']],
    ['metadata by name', [sampleProvider({ baseUrl: 'http://metadata.google.internal' })], [0, 'base_url']],
    ['one link', [sampleProvider({ baseUrl: 'http://[fe80::1]:8000/v1' })], [0, 'base_url']],
    ['a base URL that is none', [sampleProvider({ baseUrl: 'x.test' })], [0, 'base_url']],
    [
      'a base URL that is the path of one endpoint',
      [sampleProvider({ baseUrl: 'https://x.test/v1/audio/speech/' })],
      [0, 'base_url'],
    ],
    [
      'limits of time among the settings of the kind',
      [sampleProvider({ settings: { timeoutsMs: { idle: 3 } } })],
      [0, 'settings', 'timeoutsMs'],
    ],
    [
      'a credential given twice',
      [
        sampleProvider({
          credentials: [
            { name: 'k', secret: '1' },
            { name: 'k', secret: '2' },
          ],
        }),
      ],
      [0, 'credentials', 1, 'name'],
    ],
  ])('finds %s', (_what, list, loc) => {
    expect(checkProviders(list).map((issue) => issue.loc)).toEqual([loc]);
  });
});

describe('checkModels', () => {
  test('has nothing against a good list, priced, unpriced or free', () => {
    const others = [
      sampleModel({ id: 'unpriced', aliases: [], prices: null }),
      sampleModel({ id: 'free', aliases: [], prices: { input: 0n, output: 0n } }),
      sampleModel({ id: 'heard', aliases: [], type: 'transcription', prices: { audio_second: 100n } }),
    ];
    expect(checkModels([sampleModel({}), ...others])).toEqual([]);
  });

  test.each([
    ['an id with a space', [sampleModel({ id: 'gpt 4' })], [0, 'id']],
    ['an id given twice', [sampleModel({}), sampleModel({ aliases: [] })], [1, 'id']],
    ['an alias that is its own id', [sampleModel({ aliases: ['gpt-4o-mini'] })], [0, 'aliases', 0]],
    [
      'an alias that is another id',
      [sampleModel({}), sampleModel({ id: 'b', aliases: ['gpt-4o-mini'] })],
      [1, 'aliases', 0],
    ],
    [
      'an alias of two models',
      [sampleModel({}), sampleModel({ id: 'b', aliases: ['x', 'mini'] })],
      [1, 'aliases', 1],
    ],
    [
      'two prices for the same work',
      [sampleModel({ type: 'transcription', prices: { audio_second: 1n, input: 1n } })],
      [0, 'prices'],
    ],
    ['a chat model without a price for output', [sampleModel({ prices: { input: 1n } })], [0, 'prices']],
    [
      'a rerank model priced by output alone',
      [sampleModel({ type: 'rerank', prices: { output: 1n } })],
      [0, 'prices'],
    ],
    [
      'a provider twice in a row of backups',
      [
        sampleModel({
          deployments: [
            { provider: 'p', upstreamId: 'a' },
            { provider: 'p', upstreamId: 'b' },
          ],
        }),
      ],
      [0, 'providers', 1, 'provider'],
    ],
  ])('finds %s', (_what, list, loc) => {
    expect(checkModels(list).map((issue) => issue.loc)).toEqual([loc]);
  });
});
