/** Descriptions that are joined: what they share, and what must not be told as another. */
import { expect, test } from 'bun:test';
import { joinDescriptions } from './whole-description.ts';

const info = { title: 'All', version: '1', description: 'All' };
const session = { type: 'apiKey', in: 'cookie', name: 'session' };
const face = (changed: object) => ({
  ...{ openapi: '3.1.0', tags: [{ name: 'Shared' }], paths: {} },
  components: { securitySchemes: { session } },
  ...changed,
});

test('what two faces have alike stands in both once, and each operation has the security of its face', () => {
  const one = face({
    security: [{ bearer: [] }],
    paths: { '/things': { get: { summary: 'List' }, post: { summary: 'Make', security: [{ apiKey: [] }] } } },
  });
  const other = face({ paths: { '/things': { put: { summary: 'Change' } } } });
  expect(joinDescriptions([one, other], info)).toEqual({
    openapi: '3.1.0',
    info,
    tags: [{ name: 'Shared' }],
    paths: {
      '/things': {
        get: { summary: 'List', security: [{ bearer: [] }] },
        post: { summary: 'Make', security: [{ apiKey: [] }] },
        put: { summary: 'Change' },
      },
    },
    components: { securitySchemes: { session } },
  });
});

test.each([
  ['a component', { components: { securitySchemes: { session: { ...session, name: 'other' } } } }],
  ['an operation', { paths: { '/things': { get: { summary: 'Other' } } } }],
])('%s of one name that is another in each is refused', (_what, changed) => {
  const one = face({ paths: { '/things': { get: { summary: 'List' } } } });
  expect(() => joinDescriptions([one, face(changed)], info)).toThrow('two descriptions have another');
});
