import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import type { TestDatabase } from '../../../../test/support/databases.ts';
import { everybody } from '../../../base/scope.ts';
import { findKey } from '../../../identity/index.ts';
import { listBudgets } from '../../../ledger/index.ts';
import { languages } from '../../languages/language.ts';
import { type TestPortal, withTestPortal } from '../../testing/test-portal.ts';
import { speechIn } from '../../ui/speech.tsx';

const path = '/dashboard/keys';

let storage: TestDatabase;
let portal: TestPortal;
withTestPortal((opened) => {
  ({ storage, portal } = opened);
});

const made = z.object({ key: z.looseObject({ id: z.int() }) });
const send = (cookie: string, fields: object) =>
  portal.sendJson(`${path}/new`, { name: 'one', ...fields }, { cookie });

describe('the form of a key', () => {
  test('tells all of its mistakes by name, and what the key could do without them', async () => {
    const { cookie } = await portal.signedIn({ role: 'member' });
    const sent = {
      ...{
        name: 'several',
        requests_per_minute: '-4',
        budget_monthly: 'a lot',
        budget_daily: '9'.repeat(20),
      },
      ...{
        tokens_per_minute: '9'.repeat(20),
        concurrent_requests: '3',
        expires: 'never',
        expires_on: '2031-05-01',
      },
      ...{ quantizations_from: 'these', quantizations: '' },
    };
    for (const language of languages) {
      const { status, text } = await portal.sendForm(`${path}/new`, sent, {
        cookie,
        'accept-language': language,
      });
      expect(status).toBe(422);
      for (const name of [
        ...['requests_per_minute', 'tokens_per_minute', 'budget_monthly', 'budget_daily'],
        ...['expires_on', 'quantizations'],
      ]) {
        expect([name, text.includes(`id="${name}-error"`)]).toEqual([name, true]);
      }
      expect(text.match(/<li><a class="link"[^>]*><span class="strong">/g)).toHaveLength(6);
      const whole = new Intl.NumberFormat(language).format(2_147_483_647);
      expect(text.split(whole).length).toBeGreaterThan(4);
      expect(text).toContain('9'.repeat(20));
      expect(text).not.toMatch(/Invalid input|Ungültige Eingabe|Entrée invalide|Entrada inválida/);
      const canDo = text.slice(text.indexOf('data-can-do'));
      expect(canDo).toContain('3 ');
      // An answer to a form is no page that a switch of language could lead back to.
      expect(text).not.toContain('action="/preferences"');
      // What is folded away else is open, since it has a mistake.
      expect(text).toMatch(/<details class="rare" open/);
    }
    expect((await portal.ask(`${path}/new`, { headers: { cookie } })).text).toMatch(
      /<details class="rare"(?! open)/,
    );
  });

  test('with a last day alone expires at its end', async () => {
    const { cookie } = await portal.signedIn({ role: 'member' });
    const { key } = made.parse(JSON.parse((await send(cookie, { expires_on: '2031-02-01' })).text));
    expect((await findKey(everybody, storage.db, key.id))?.expiresAt).toEqual(
      new Date('2031-02-02T00:00:00Z'),
    );
  });

  test('tells who was overtaken when the key ends now, and lets them keep that', async () => {
    const { cookie } = await portal.signedIn({ role: 'member' });
    const { key } = made.parse(JSON.parse((await send(cookie, {})).text));
    const address = `${path}/${key.id}`;
    const change = await portal.sendJson(address, { expires: '7', strict_output: true }, { cookie });
    expect(change.status).toBe(200);
    const overtaken = { name: 'two', revision: '1', expires: 'never', strict_output: 'off' };
    const { status, text } = await portal.sendForm(address, overtaken, { cookie });
    expect(status).toBe(409);
    const inSevenDays = speechIn('en').figures.moment(new Date(portal.nowMs() + 7 * 86_400_000));
    for (const [name, now] of [
      ['expires', inSevenDays],
      ['strict_output', 'on'],
    ] as const) {
      expect(text).toMatch(new RegExp(`id="${name}-error"[^>]*>(?:.|\\n)*?It is now: ${now}`));
    }
    expect(text).toContain('<option value="keep">');
    const program = { revision: 1, expires_at: null, strict_output: false };
    const told = await portal.sendJson(address, program, { cookie });
    expect(JSON.parse(told.text).fields).toMatchObject({
      expires: `It is now: ${inSevenDays}`,
      strict_output: 'It is now: on',
    });
    const kept = await portal.sendJson(address, { revision: 1, expires: 'keep' }, { cookie });
    expect(Object.keys(JSON.parse(kept.text).fields)).toEqual(['revision']);
    const never = made.parse(JSON.parse((await send(cookie, { expires: '7' })).text));
    expect((await portal.sendJson(`${path}/${never.key.id}`, { expires: 'never' }, { cookie })).status).toBe(
      200,
    );
    const late = await portal.sendForm(
      `${path}/${never.key.id}`,
      { revision: '1', expires: '30' },
      { cookie },
    );
    expect(late.text).toMatch(/id="expires-error"[^>]*>(?:.|\n)*?It is now: Never/);
  });

  test('says of a key that ends when it ends, opened and while it is filled in', async () => {
    const { cookie } = await portal.signedIn({ role: 'member' });
    const { key } = made.parse(JSON.parse((await send(cookie, { expires: '7' })).text));
    const address = `${path}/${key.id}`;
    const { text } = await portal.ask(`${address}/edit`, { headers: { accept: 'text/html', cookie } });
    const until = `Work until ${speechIn('en').figures.moment(new Date(portal.nowMs() + 7 * 86_400_000))}`;
    expect(text).toContain(until);
    const hidden = [...text.matchAll(/<input type="hidden" name="(ends_now|revision)" value="([^"]*)"/g)];
    const fields = { ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])), name: 'two' };
    const preview = async (expires: string) =>
      (await portal.sendJson(`${path}/preview`, { ...fields, expires }, { cookie })).text;
    expect(await preview('keep')).toContain(until);
    expect(await preview('never')).toContain('Work until it is revoked.');
    const saved = await portal.sendForm(address, { ...fields, expires: 'never' }, { cookie });
    expect([saved.status, saved.location]).toEqual([303, address]);
    expect((await findKey(everybody, storage.db, key.id))?.expiresAt).toBeNull();
  });

  test('takes amounts with the comma or the point of the writer, and refuses those that could mean two', async () => {
    const { cookie } = await portal.signedIn({ role: 'member' });
    const budgetOf = async (given: string) => {
      const answer = await send(cookie, { budget_total: given });
      if (answer.status !== 200) return Object.keys(JSON.parse(answer.text).fields).join();
      const { key } = made.parse(JSON.parse(answer.text));
      const [budget] = await listBudgets(storage.db, portal.nowMs(), [{ kind: 'key', id: key.id }]);
      return budget?.limitNanoUsd;
    };
    const dollar = 1_000_000_000n;
    for (const [given, expected] of [
      ['12,50', 12_500_000_000n],
      ['$ 12,5', 12_500_000_000n],
      ['0,125', 125_000_000n],
      ['1,234.50', 1_234_500_000_000n],
      ['1.234,50', 1_234_500_000_000n],
      ['1,234,567', 1_234_567n * dollar],
      ['1.234.567', 1_234_567n * dollar],
      ['1.234', 1_234_000_000n],
      ['00000000000000000012.50', 12_500_000_000n],
      ['1000000000', 1_000_000_000n * dollar],
      ['1,234', 'budget_total'],
      ['12,34,56', 'budget_total'],
      ['1000000000.000000001', 'budget_total'],
      ['0.0000000001', 'budget_total'],
      ['-1', 'budget_total'],
      [',5', 'budget_total'],
      ['9'.repeat(20), 'budget_total'],
      ['9'.repeat(60_000), 'budget_total'],
    ] as const) {
      expect([given.slice(0, 40), await budgetOf(given)]).toEqual([given.slice(0, 40), expected]);
    }
  });
});
