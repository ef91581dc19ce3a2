import { expect, test } from 'bun:test';
import type { Model, Prices } from '../catalogue/index.ts';
import { chooseModelToTry, writeBanner } from './banner.ts';

const model = (
  publicId: string,
  kind: string,
  prices: Prices | null,
  baseUrl: string | null = null,
): Model => ({
  publicId,
  type: 'chat',
  ownedBy: 'somebody',
  aliases: [],
  contextWindow: null,
  maxOutputTokens: null,
  capabilities: [],
  rescue: false,
  prices,
  priceVersions: prices === null ? [] : [{ id: 1, fromMs: 0, prices }],
  deployments: [
    {
      provider: {
        id: 1,
        name: kind,
        kind,
        baseUrl,
        region: null,
        settings: {},
        credentials: [{ id: 1, name: 'k1', secret: 'k' }],
        isDeclared: true,
        dataClaim: null,
      },
      upstreamId: publicId,
      contextWindow: null,
      weight: 1,
      quantization: null,
      priceVersions: [],
    },
  ],
  routing: 'order',
  createdAtMs: 0,
});

const cents = (input: bigint, output: bigint): Prices => ({ input, output });
const simulator = model('simulator', 'simulator', cents(0n, 0n));
const dear = model('dear', 'openai', cents(9n, 9n));
const cheap = model('cheap', 'anthropic', cents(2n, 8n));
/** Little for what is written, much for what is read. */
const lopsided = model('lopsided', 'openai', cents(9n, 1n));
const unpriced = model('unpriced', 'openai', null);
const nativeOnly = model('account', 'native', cents(1n, 1n), 'https://service.example');
const withoutAddress = model('nowhere', 'azure-openai', cents(1n, 1n));

test.each([
  ['the cheapest real one', [dear, lopsided, cheap, simulator], 'cheap'],
  ['none that prepaid keys are refused', [unpriced, simulator], 'simulator'],
  ['none that only the native endpoint reaches', [nativeOnly, dear, simulator], 'dear'],
  ['none whose provider cannot be asked', [withoutAddress, simulator], 'simulator'],
  ['nothing where nothing would answer', [unpriced, nativeOnly], null],
])('is %s', (_what, models, chosen) => {
  expect(chooseModelToTry({ models })).toBe(chosen);
});

test('a start that has no token to show says how to make one, for whom it knows', () => {
  const facts = {
    url: 'http://127.0.0.1:8080',
    role: 'all',
    storage: 'x',
    model: null,
    mailFolder: null,
    warnings: [],
  } as const;
  const welcome = { ownerEmail: 'ana@example.test', signInPath: '/sign-in/s', token: null };
  expect(writeBanner({ ...facts, welcome })).toContain('keys create --owner ana@example.test --name <name>');
  expect(writeBanner({ ...facts, welcome: null })).toContain('keys create --owner <e-mail> --name <name>');

  expect(writeBanner({ ...facts, welcome: null, role: 'jobs' })).not.toContain('token');
});

test('a start without a mail server says in which folder mails are', () => {
  const facts = { url: 'x', role: 'all', storage: 'x', model: null, welcome: null, warnings: [] } as const;
  expect(writeBanner({ ...facts, mailFolder: '/srv/data/mail' })).toContain(
    'Mails: files in /srv/data/mail;',
  );
  expect(writeBanner({ ...facts, mailFolder: null })).not.toContain('Mails');
});
