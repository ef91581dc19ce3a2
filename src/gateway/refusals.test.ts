import { expect, test } from 'bun:test';
import { hintFor } from './refusals.ts';

const known = [
  '/v1beta/models',
  '/v1/key',
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/models',
];

test.each([
  ['/v1/v1/messages', 'Leave /v1 out of the base URL: it is there twice.'],
  ['/v1/v1/modles', 'Leave /v1 out of the base URL: it is there twice.'],
  ['/v1beta/v1beta/models/m:generateContent', 'Leave /v1beta out of the base URL: it is there twice.'],
  ['/v1/v1beta/models/m:generateContent', 'Leave /v1 out of the base URL: the client adds /v1beta to it.'],
  ['/chat/completions', 'Did you mean /v1/chat/completions?'],
  ['/models/some%2Fmodel', 'Did you mean /v1/models/some%2Fmodel?'],
  ['/v1/chat/completions/', 'Did you mean /v1/chat/completions, without a slash too many?'],
  ['//v1/models', 'Did you mean /v1/models, without a slash too many?'],
  ['/messages/', 'Did you mean /v1/messages?'],
  ['/api/v1/chat/completions', 'Did you mean /v1/chat/completions?'],
  ['/v1/chat/completion', 'Did you mean /v1/chat/completions?'],
  ['/V1/Messages', 'Did you mean /v1/messages?'],
  ['/v1/mesages/count-tokens', 'Did you mean /v1/messages/count_tokens?'],
  ['/modles', 'Did you mean /v1/models?'],
  ['/v1beta/modles', 'Did you mean /v1beta/models?'],
  ['/v1/keys', 'Did you mean /v1/key?'],
  ['/v1', 'It is a base URL, to which clients add the rest: GET /v1/models lists the models.'],
  ['/v1beta/', 'It is a base URL, to which clients add the rest: GET /v1beta/models lists the models.'],
])('%s: %s', (pathname, hint) => {
  expect(hintFor(pathname, known)).toBe(` ${hint}`);
});

test.each(['/', '/nowhere', '/v1/foo', '/foo', '/v1/images/generations', `/v1/${'m'.repeat(8000)}`])(
  'nothing is near %.40s',
  (pathname) => {
    expect(hintFor(pathname, known)).toBe('');
  },
);
