/** Making an account as people do: the form, the mail, and its link. */
import type { Page } from 'playwright-core';
import type { TestSluice } from '../support/sluice.ts';
import { linkInMailTo } from './site.ts';

export const password = 'seven herons on a quiet weir';

/** Fills in the form that is open and sends it. */
export async function signUp(page: Page, email: string): Promise<void> {
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL((url) => url.pathname !== '/signup');
}

/** Signs up and follows the mail's link, which signs in. */
export async function makeAccount(page: Page, site: TestSluice, email: string): Promise<void> {
  await page.goto(`${site.url}/signup`);
  await signUp(page, email);
  await page.goto(await linkInMailTo(site, email, '/verify-email'));
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Confirm and sign in' }).click();
  await page.waitForURL(`${site.url}/dashboard`);
}

export async function signInAt(page: Page, site: TestSluice, email: string, given: string): Promise<void> {
  await page.goto(`${site.url}/login`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(given);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
