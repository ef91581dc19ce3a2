/** A whole day of somebody who came this morning: from signing up, by a key and its requests, to deleting the account. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { readZip } from '../../src/base/testing/read-zip.ts';
import { findUserByEmail } from '../../src/identity/index.ts';
import { transact } from '../../src/storage/work.ts';
import { heardAll } from '../support/heard-all.ts';
import type { TestSluice } from '../support/sluice.ts';
import { describeInBrowser } from './browser.ts';
import { makeAccount, password, signInAt } from './sign-up.ts';
import { startSite } from './site.ts';

const timeoutMs = 240_000;
const email = 'ada@example.test';
const prompt = 'How deep is the weir?';

describeInBrowser('a day', (openWindow) => {
  let site: TestSluice;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site?.stop());

  const ask = async (token: string) =>
    await site.client({ apiKey: token }).chat.completions.create({
      model: 'double-1',
      messages: [{ role: 'user', content: prompt }],
    });

  /** Of the box that shows a token once. */
  const shownToken = async (page: Page): Promise<string> =>
    (await page.locator('.new-token .code code').textContent())?.trim() ?? '';

  async function pay(usd: bigint): Promise<void> {
    const { services } = site.running;
    const userId = (await findUserByEmail(services.storage.db, email))?.id ?? 0;
    const amount = { userId, amountNanoUsd: usd * 1_000_000_000n, businessKey: 'day' };
    await transact(services, (work) => services.wallets.deposit(work, amount));
  }

  test(
    'goes from signing up to a deleted account, with every request where it belongs',
    async () => {
      const window = await openWindow({ site: site.url, width: 1440, theme: 'light' });
      const { page, problems } = window;
      await makeAccount(page, site, email);
      await pay(10n);

      // A key, made where the overview leads to.
      await page.reload();
      await page.getByRole('main').getByRole('link', { name: 'Create key' }).first().click();
      await page.waitForURL('**/dashboard/keys/new');
      await page.getByLabel('Name', { exact: true }).fill('weir gauge');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.waitForURL('**/token');
      const keyPath = new URL(page.url()).pathname.replace(/\/token$/, '');
      const first = await shownToken(page);
      expect(first).toMatch(/^sluice_[0-9A-Za-z]{46}$/);
      await page.reload();
      await page.getByRole('heading', { name: 'The token was shown once' }).waitFor();

      // A request, which comes to the open log by itself.
      const live = page.waitForResponse((answer) => answer.url().includes('/request-log/live'));
      await page.goto(`${site.url}/dashboard/request-log`, { waitUntil: 'load' });
      await live;
      site.upstream.enqueue({ generate: { tokens: 100, promptTokens: 100_000 } });
      const answer = await ask(first);
      expect(answer.usage?.total_tokens).toBe(100_100);
      const row = page.locator('table.opens tbody tr');
      if ((await row.count()) === 0) await row.first().waitFor();
      expect(await row.count()).toBe(1);
      expect(await row.first().textContent()).toContain('$0.0151');

      // Its sheet, the usage, the key's page and the balance tell the same.
      await row.first().locator('.row-link').first().click();
      await page.locator('.sheet').getByText('$0.01506').first().waitFor();
      await page.goto(`${site.url}/dashboard/usage?by=key`);
      await page.getByRole('row').filter({ hasText: 'weir gauge' }).getByText('$0.0151').waitFor();
      await page.goto(`${site.url}${keyPath}`);
      await page.getByRole('row').filter({ hasText: 'double-1' }).first().waitFor();
      expect(await page.getByRole('main').textContent()).toContain('100,100');
      await page.goto(`${site.url}/dashboard`);
      const amount = page.locator('#balance .amount');
      expect([await amount.textContent(), await amount.getAttribute('title')]).toEqual([
        '$9.98',
        '9.98494 USD',
      ]);
      expect(await page.locator('.balance .number').textContent()).toBe('$9.98');

      // Another token, while a client keeps asking and changes over when it has it.
      let token = first;
      let isOver = false;
      const answered = new Map<string, number>();
      const failures: unknown[] = [];
      const keepAsking = async () => {
        while (!isOver) {
          const used = token;
          const { choices } = await ask(used);
          if (choices.length > 0) answered.set(used, (answered.get(used) ?? 0) + 1);
        }
      };
      const untilAnswered = async (used: string, times: number) => {
        while (failures.length === 0 && (answered.get(used) ?? 0) < times) {
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const asking = Promise.all([keepAsking(), keepAsking()]).catch((failure: unknown) => {
        failures.push(failure);
      });
      await page.goto(`${site.url}${keyPath}`);
      await page.getByRole('button', { name: 'Rotate', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click();
      await page.waitForURL('**/token');
      const second = await shownToken(page);
      expect(second).not.toBe(first);
      await untilAnswered(first, (answered.get(first) ?? 0) + 3);
      token = second;
      await untilAnswered(second, 3);
      isOver = true;
      await asking;
      expect(failures).toEqual([]);
      await page.getByRole('link', { name: 'To the key' }).click();
      await page.getByRole('button', { name: 'End now' }).click();
      await page.getByText('The token before has ended.').waitFor();
      await heardAll(site.running.services.storage);
      await expect(ask(first)).rejects.toThrow('401');
      expect((await ask(second)).choices).toHaveLength(1);

      // The file with all of it, once all of it is settled, and then nothing is left.
      await site.usage();
      const sent = [...answered.values()].reduce((sum, count) => sum + count, 0) + 2;
      await page.goto(`${site.url}/dashboard/settings/data`);
      await page.getByRole('button', { name: 'Make the file' }).click();
      await page.getByText('The file is being made').first().waitFor();
      const link = page.getByRole('link', { name: /^Download/ });
      // Asked for beside the page, which loads itself anew meanwhile and shows it in the end.
      const status = async () =>
        (await (await page.request.get(`${site.url}/dashboard/settings/export`)).json()).status;
      while ((await status()) === 'waiting') site.leap(5_000);
      await link.waitFor();
      const downloading = page.waitForEvent('download');
      await link.click();
      const files = readZip(new Uint8Array(await Bun.file(await (await downloading).path()).arrayBuffer()));
      expect(files.get('requests.csv')?.trim().split('\n')).toHaveLength(1 + sent);
      expect(files.get('api-keys.json')).toContain('weir gauge');
      expect([...files.values()].join('')).not.toContain(second);

      await page.getByLabel(`Type ${email} to confirm`).fill(email);
      const again = page.getByLabel('Your password');
      if ((await again.count()) > 0) await again.last().fill(password);
      await page.getByRole('button', { name: 'Delete the account for good' }).click();
      await page.waitForURL(`${site.url}/`);
      await page.getByText('Your account is deleted.').waitFor();
      await heardAll(site.running.services.storage);
      await expect(ask(second)).rejects.toThrow('401');
      await signInAt(page, site, email, password);
      await page
        .getByText(/is wrong/)
        .first()
        .waitFor();
      expect(problems).toEqual([]);
      await window.close();
    },
    timeoutMs,
  );
});
