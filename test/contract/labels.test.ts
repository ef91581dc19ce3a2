/** What clients of every protocol say of a request beside asking, as its usage record has it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestSluice, type TestSluice, usualModel, usualProvider } from '../support/sluice.ts';

describe('labels of requests', () => {
  let sluice: TestSluice;
  beforeAll(async () => {
    sluice = await startTestSluice({
      file: (url) => ({
        providers: [usualProvider(url)],
        models: [
          usualModel,
          {
            ...{ id: 'embed', type: 'embedding', owned_by: 'doubles', prices: { input: 0.1 } },
            providers: [{ provider: 'main', upstream_id: 'embed-upstream' }],
          },
        ],
      }),
    });
  });
  afterAll(() => sluice.stop());

  const messages = [{ role: 'user', content: 'Hello' }];
  const metadata = { team: 'red', session_id: 'in the body' };

  async function labelsOf(path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const answer = await sluice.post(path, body, headers);
    expect(answer.status).toBe(200);
    await answer.text();
    const requestId = answer.headers.get('x-request-id');
    return (await sluice.nextUsage((record) => record.requestId === requestId)).labels;
  }

  test.each([
    ['/v1/chat/completions', { messages, user: 'eve', metadata }],
    ['/v1/chat/completions', { messages, safety_identifier: 'eve', metadata, stream: true }],
    ['/v1/messages', { messages, max_tokens: 50, metadata: { ...metadata, user_id: 'eve' } }],
    ['/v1/responses', { input: 'Hello', user: 'eve', metadata }],
  ])('of %s are kept', async (path, body) => {
    const headers = { 'x-sluice-tags': 'checkout, team=red', 'x-session-id': 'in the header' };
    const asked = { model: 'double-1', ...body };
    expect(await labelsOf(path, asked, headers)).toEqual({
      sessionId: 'in the header',
      endUser: 'eve',
      tags: ['checkout', 'team=red'],
    });
    expect(await labelsOf(path, asked)).toMatchObject({ sessionId: 'in the body', tags: ['team=red'] });
  });

  test('of what is not a conversation are kept too', async () => {
    const headers = { 'x-sluice-tags': 'search' };
    expect(await labelsOf('/v1/embeddings', { model: 'embed', input: 'x', user: 'eve' }, headers)).toEqual({
      sessionId: null,
      endUser: 'eve',
      tags: ['search'],
    });
    const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
    const asked = { contents, labels: { team: 'red' } };
    expect((await labelsOf('/v1beta/models/double-1:generateContent', asked))?.tags).toEqual(['team=red']);
  });

  test('that the database cannot hold lose nothing of the record', async () => {
    const hostile = { 'nul\0': 'half \ud83e', long: 'x'.repeat(1_000_000) };
    const labels = await labelsOf('/v1/chat/completions', {
      ...{ model: 'double-1', messages, user: '\0', metadata: hostile },
    });
    expect(labels?.endUser).toBe('\ufffd');
    expect(labels?.tags).toEqual(['nul\ufffd=half \ufffd', `long=${'x'.repeat(123)}`]);
  });

  test('are not there where nothing was said', async () => {
    expect(await labelsOf('/v1/chat/completions', { model: 'double-1', messages })).toBeUndefined();
  });
});
