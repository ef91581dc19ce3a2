/** What is read of what clients say of their requests, wherever they put it and whatever it is. */
import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../protocols/json/fields.ts';
import { readGivenSession, readLabels as readLabelsOf } from './session.ts';

const none = new Headers();

const readLabels = (headers: Headers, json: JsonObject | undefined) =>
  readLabelsOf(headers, json, readGivenSession(headers, json)?.id ?? null);

describe('labels of a request', () => {
  test('are none where the client said nothing', () => {
    expect(readLabels(none, undefined)).toBeUndefined();
    expect(readLabels(none, { model: 'x', metadata: {} })).toBeUndefined();
    expect(readLabels(new Headers({ 'x-sluice-tags': ' , ' }), { user: ' ' })).toBeUndefined();
  });

  test.each([
    [{ 'x-session-id': 'h' }, { metadata: { session_id: 'm', sticky_key: 's' } }, 'h'],
    [{}, { metadata: { session_id: 'm', sticky_key: 's' } }, 'm'],
    [{}, { metadata: { sticky_key: 's' } }, 's'],
    [{ 'x-session-id': ' ' }, { metadata: { session_id: 7, sticky_key: 's' } }, 's'],
  ])('have the session of %j and %j', (headers, json, sessionId) => {
    expect(readLabels(new Headers(headers), json)).toMatchObject({ sessionId, endUser: null, tags: [] });
  });

  test.each([
    [{ user: 'u', metadata: { user_id: 'm' }, safety_identifier: 's' }, 'u'],
    [{ metadata: { user_id: 'm' }, safety_identifier: 's' }, 'm'],
    [{ user: 1, safety_identifier: 's' }, 's'],
  ])('have the end user of %j', (json, endUser) => {
    expect(readLabels(none, json)).toEqual({ sessionId: null, endUser, tags: [] });
  });

  test('have tags of the header and of metadata, each once', () => {
    const headers = new Headers({ 'x-sluice-tags': 'a, b=c ,,a' });
    const metadata = { team: 'red', b: 'c', nested: { x: 'y' }, count: 7, empty: '', user_id: 'u' };
    expect(readLabels(headers, { metadata })?.tags).toEqual(['a', 'b=c', 'team=red']);
    expect(readLabels(none, { labels: { team: 'blue' } })?.tags).toEqual(['team=blue']);
    expect(readLabels(none, { metadata: { note: 'x ' } })?.tags).toEqual(['note=x']);
  });

  test('are bounded, whatever their client sends', () => {
    const long = 'é\ud83e'.repeat(500_000);
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, place) => [`n${place}`, long]));
    const headers = new Headers({ 'x-sluice-tags': 'x,'.repeat(4000) });
    const labels = readLabels(headers, { user: long, metadata: { [long]: long, ...many, session_id: long } });
    expect(labels?.tags).toHaveLength(16);
    for (const tag of labels?.tags ?? []) expect(tag.length).toBeLessThanOrEqual(128);
    expect([labels?.endUser?.length, labels?.sessionId?.length]).toEqual([256, 256]);
  });

  test.each([null, 'text', 7, ['list'], true])('are none of metadata that is %j', (metadata) => {
    expect(readLabels(none, { metadata })).toBeUndefined();
  });
});
