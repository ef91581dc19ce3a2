/** What a webhook is sent of an event, which depends on whose it is. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventFacts } from '../storage/events.ts';
import { isEventKind } from './event-kinds.ts';
import { writeWebhookBody } from './webhook-body.ts';

const service = { name: 'Sluice', url: 'https://sluice.test' };
const event = {
  kind: 'account.new_browser',
  facts: { device: 'Firefox on Linux', address: '192.0.2.44' },
  ...{ audience: 'account', audienceId: 7, createdAt: new Date('2030-01-01T12:00:00Z') },
};

test.each(['standard', 'slack'])(
  'of where somebody signs in from, an organisation is sent the device (%s)',
  (format) => {
    const own = writeWebhookBody({ format, organisationId: null }, event, service);
    expect(own).toContain('192.0.2.44');
    const organisations = writeWebhookBody({ format, organisationId: 3 }, event, service);
    expect(organisations).toContain('Firefox on Linux');
    expect(organisations).not.toContain('192.0.2');
  },
);

test('in a channel of an organisation it is said of whom it is told', () => {
  const low = { ...event, kind: 'wallet.low', facts: { balance_usd: '9.50', level_usd: '10.00' } };
  const told = (organisationId: number | null): string =>
    JSON.parse(writeWebhookBody({ format: 'slack', organisationId }, low, service)).text;
  expect(told(3)).toBe(`${told(null)}\naccount 7`);
});

test('everything else is the same for both', () => {
  const low = { ...event, kind: 'wallet.low', facts: { balance_usd: '9.50', level_usd: '10.00' } };
  const own = writeWebhookBody({ format: 'standard', organisationId: null }, low, service);
  expect(writeWebhookBody({ format: 'standard', organisationId: 3 }, low, service)).toBe(own);
  expect(JSON.parse(own)).toEqual({
    type: 'wallet.low',
    timestamp: '2030-01-01T12:00:00.000Z',
    data: { account_id: 7, balance_usd: '9.50', level_usd: '10.00' },
  });
});

test('the document for those who receive them names every event with every fact', () => {
  const document = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8');
  const rows = document.slice(document.indexOf('| event | `data`')).split('\n');
  const kinds = Object.keys(eventFacts).filter(isEventKind);
  const facts = kinds.flatMap((kind) => Object.keys(eventFacts[kind].shape).map((fact) => [kind, fact]));
  expect(facts.length).toBeGreaterThan(20);
  for (const [kind, fact] of facts) {
    const row = rows.find((each) => each.startsWith('|') && each.includes(`\`${kind}\``));
    expect(row, kind).toContain(`\`${fact}\``);
  }
  for (const kind of kinds) expect(rows.join('\n')).toContain(`\`${kind}\``);
});
