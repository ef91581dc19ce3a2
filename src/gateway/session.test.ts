/** Which conversation a request belongs to, by whatever its client says of it. */
import { describe, expect, test } from 'bun:test';
import { hasHistory, inferSession, readGivenSession, readKnownSession } from './session.ts';

const uuid = '01234567-89ab-cdef-0123-456789abcdef';

describe('the session of a request', () => {
  test.each([
    [{ 'x-session-id': 'h' }, { metadata: { session_id: 'm', sticky_key: 's' } }, 'h', 'x-session-id'],
    [{ session_id: 'codex' }, { metadata: { session_id: 'm', sticky_key: 's' } }, 'm', 'metadata.session_id'],
    [{}, { metadata: { sticky_key: 's' } }, 's', 'metadata.sticky_key'],
    [{ 'x-session-id': ' ' }, { labels: { sticky_key: 's' } }, 's', 'metadata.sticky_key'],
  ])('of %j and %j is the first that is given', (headers, json, id, source) => {
    expect(readGivenSession(new Headers(headers), json)).toEqual({ id, source, confidence: 'given' });
  });

  test('is not given where nothing is said, or no text', () => {
    expect(readGivenSession(new Headers(), undefined)).toBeNull();
    expect(readGivenSession(new Headers(), { metadata: { session_id: 7 } })).toBeNull();
  });

  test.each([
    [{ 'x-claude-code-session-id': 'c', session_id: 'x' }, {}, 'c', 'x-claude-code-session-id'],
    [{ 'x-opencode-session': 'o' }, { prompt_cache_key: 'k' }, 'o', 'x-opencode-session'],
    [{ 'session-id': 'new' }, {}, 'new', 'session-id'],
    [{}, { prompt_cache_key: 'k' }, 'k', 'prompt_cache_key'],
    [{}, { metadata: { user_id: `user_ab_account__session_${uuid}` } }, uuid, 'metadata.user_id'],
  ])('of %j and %j is what agents say', (headers, json, id, source) => {
    expect(readKnownSession(new Headers(headers), json)).toEqual({ id, source, confidence: 'known' });
  });

  const user = { role: 'user', content: 'Hello' };
  const answer = { role: 'assistant', content: 'Hi' };

  test.each([
    ['chat completions', { messages: [{ role: 'system', content: 'Be kind.' }, user] }],
    [
      'messages',
      { system: [{ type: 'text', text: 'Be kind.' }], messages: [{ ...user, content: [{ text: 'Hello' }] }] },
    ],
    ['responses', { instructions: 'Be kind.', input: [user] }],
    [
      'generateContent',
      {
        systemInstruction: { parts: [{ text: 'Be kind.' }] },
        contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      },
    ],
  ])(
    'in %s is told by its beginning, which stays as it goes on',
    (_protocol, json: Record<string, unknown>) => {
      const name = ['messages', 'input', 'contents'].find((member) => member in json) ?? '';
      const turns = json[name] as object[];
      const first = inferSession(json);
      expect(first).toMatchObject({ source: 'conversation', confidence: 'inferred' });
      expect(
        inferSession({ ...json, [name]: [...turns, answer, { role: 'user', content: 'And?' }] }),
      ).toEqual(first);
      expect(inferSession({ ...json, [name]: [{ role: 'user', content: 'Other' }] })).not.toEqual(first);
      expect(hasHistory(json)).toBe(false);
      expect(hasHistory({ ...json, [name]: [...turns, answer, user] })).toBe(true);
    },
  );

  test('of what has no beginning is not inferred', () => {
    expect(inferSession({ input: 'to embed' })).toBeNull();
    expect(inferSession({ messages: 'no list' })).toBeNull();
    expect(inferSession({ messages: [null, 7, { role: 'user' }] })).toBeNull();
  });

  test('of a megabyte takes no longer than of a page, and of an id no more than its beginning', () => {
    const long = 'word '.repeat(200_000);
    const json = {
      system: long,
      messages: Array.from({ length: 50_000 }, () => ({ role: 'user', content: long })),
    };
    expect(inferSession(json)?.id).toHaveLength(16);
    expect(hasHistory(json)).toBe(false);
    expect(readKnownSession(new Headers({ 'session-id': 'x'.repeat(5000) }), {})?.id).toHaveLength(256);
  });
});
