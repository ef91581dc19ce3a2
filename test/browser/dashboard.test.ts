/** The dashboard as somebody uses it: first steps that tick themselves off, a model that is tried, and ⌘K by the keyboard alone. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { onlyOf } from '../../src/base/scope.ts';
import { noUsage } from '../../src/base/token-usage.ts';
import { createKey, findUserByEmail } from '../../src/identity/index.ts';
import { transact } from '../../src/storage/work.ts';
import { insertUsage, requestIdAt } from '../../src/usage/testing/insert-usage.ts';
import { noUnits } from '../../src/usage/testing/no-units.ts';
import type { TestSluice } from '../support/sluice.ts';
import { describeInBrowser } from './browser.ts';
import { newcomer, signIn, startSite } from './site.ts';

const timeoutMs = 120_000;

describeInBrowser('the dashboard', (openWindow) => {
  let site: TestSluice;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site?.stop());

  test(
    'ticks off first steps as they happen, without the page being loaded again',
    async () => {
      const window = await openWindow({ site: site.url, width: 1440, theme: 'light' });
      const { page } = window;
      await signIn(window, site, 'newcomer');
      await page.goto(`${site.url}/dashboard`);
      const steps = page.locator('[data-first-steps]');
      const isDone = (name: string) => steps.locator(`[data-step="${name}"] .state.good`);
      await isDone('verified').waitFor();
      expect(await isDone('key').count()).toBe(0);
      const { services } = site.running;
      const user = await findUserByEmail(services.storage.db, newcomer);
      const userId = user?.id ?? 0;
      await transact(services, (work) =>
        createKey(onlyOf(userId), work, 'sluice_', { ownerId: userId, name: 'first' }),
      );
      await isDone('key').waitFor();
      const startedAt = new Date();
      await insertUsage(services.storage.db, [
        {
          ...{ ...noUsage, ...noUnits, requestId: requestIdAt(startedAt), startedAt, keyId: 1, userId },
          ...{ payerId: userId, organisationId: null, departmentId: null, projectId: null },
          ...{
            endpoint: '/v1/chat/completions',
            model: 'atlas-4',
            provider: 'main',
            upstreamModel: 'atlas-4',
          },
          ...{ streamed: false, status: 200, outcome: 'complete', errorCode: null, attempts: [] },
          ...{ estimated: false, priceVersionId: null, exempt: false, costNanoUsd: 0n, chargedNanoUsd: 0n },
          ...{ durationMs: 1, firstByteMs: null, overheadMs: 1 },
        },
      ]);
      await page.locator('[data-steps-all]:not([hidden])').waitFor();
      expect(await steps.locator('[data-steps-progress]').textContent()).toBe('4 of 4 done');
      expect(window.problems).toEqual([]);
      await window.close();
    },
    timeoutMs,
  );

  test(
    'tries a model: says what it costs at most, shows the answer, and what it used',
    async () => {
      const window = await openWindow({ site: site.url, width: 1440, theme: 'light' });
      const { page } = window;
      await signIn(window, site, 'owner');
      await page.goto(`${site.url}/dashboard/models/simulator`);
      await page.locator('#try textarea').fill('Why is the sky blue?');
      expect(await page.locator('[data-most]').textContent()).toMatch(/^Costs \$0\.00\d+ at most$/);
      await page.locator('#try button[type=submit]').click();
      await page.locator('[data-record]:not([hidden])').waitFor();
      expect((await page.locator('.try-answer').textContent())?.length).toBeGreaterThan(10);
      expect(await page.locator('[data-fact=cost]').textContent()).toMatch(/^\$0\.000\d+$/);
      expect(window.problems).toEqual([]);
      await window.close();
    },
    timeoutMs,
  );

  test(
    'says why a model cannot be tried, in place of an answer',
    async () => {
      const window = await openWindow({ site: site.url, width: 1440, theme: 'light' });
      const { page } = window;
      await signIn(window, site, 'newcomer');
      await page.goto(`${site.url}/dashboard/models/simulator`);
      await page.locator('#try textarea').fill('Why is the sky blue?');
      await page.locator('#try button[type=submit]').click();
      const told = page.locator('#try').getByRole('alert');
      await told.waitFor();
      expect(await told.textContent()).toContain('no money left');
      expect(await page.locator('.try-answer').isVisible()).toBe(false);
      expect(await page.locator('[data-fact=cost]').isVisible()).toBe(false);
      await window.close();
    },
    timeoutMs,
  );

  test(
    'finds a model by the keyboard alone, and remembers where one went',
    async () => {
      const window = await openWindow({ site: site.url, width: 1440, theme: 'light' });
      const { page } = window;
      await signIn(window, site, 'owner');
      await page.goto(`${site.url}/dashboard/models`);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('atlas-4-m');
      const chosen = page.locator('#palette [aria-selected=true]');
      await chosen.filter({ hasText: 'atlas-4-mini' }).waitFor();
      expect(await page.locator('#palette input').getAttribute('aria-activedescendant')).toBe(
        await chosen.getAttribute('id'),
      );
      await page.keyboard.press('Enter');
      await page.waitForURL(`${site.url}/dashboard/models/atlas-4-mini`);
      await page.keyboard.press('Control+k');
      await page.locator('#palette [role=option]').first().filter({ hasText: 'atlas-4-mini' }).waitFor();
      expect(window.problems).toEqual([]);
      await window.close();
    },
    timeoutMs,
  );
});
