/** What pages show only once something was pressed or sent, one row each: looked at and photographed as pages are. */
import type { Page } from 'playwright-core';
import type { Width } from './browser.ts';
import type { PageRow } from './pages.ts';
import { keyPath, verifyPath } from './paths.ts';
import { password } from './sign-up.ts';
import { newcomer, unverified, type Visitor } from './site.ts';

export interface OpenedRow {
  /** Also the name of its pictures. */
  readonly name: string;
  readonly path: PageRow['path'];
  /** Nobody when not given. */
  readonly as?: Visitor;
  /** Where it is there at one width alone. */
  readonly width?: Width;
  /** Until what is to be seen is there. */
  open(page: Page): Promise<unknown>;
}

const press = (page: Page, name: string | RegExp) =>
  page
    .getByRole('main')
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click();
const openMenu = (id: string) => async (page: Page) => {
  await page.locator(`[popovertarget=menu-${id}]`).click();
  await page.locator(`#menu-${id}`).waitFor();
};
const openDialog = (name: string) => async (page: Page) => {
  await press(page, name);
  await page.getByRole('dialog').waitFor();
};
/** In a summary, beside a field, or over the page. */
const alert = (page: Page) =>
  page.locator('main [role=alert]:visible, main [aria-invalid=true], .toast').first().waitFor();
const toast = (page: Page) => page.locator('.toast').waitFor();

const menus: readonly OpenedRow[] = [
  { name: 'opened-site-menu', path: '/', width: 390, open: openMenu('site') },
  {
    name: 'opened-side-bar',
    ...{ path: '/dashboard', as: 'resident', width: 390 },
    open: (page) => page.getByRole('button', { name: 'Open the navigation' }).click(),
  },
  { name: 'opened-account', path: '/dashboard', as: 'resident', open: openMenu('account') },
  { name: 'opened-filter', path: '/dashboard/request-log', as: 'owner', open: openMenu('status') },
  { name: 'opened-more-filters', path: '/dashboard/request-log', as: 'owner', open: openMenu('more') },
  {
    name: 'opened-key-menu',
    path: '/dashboard/keys',
    as: 'owner',
    // On a phone a key's page has them.
    width: 1440,
    open: (page) => press(page, /^Actions for/),
  },
  {
    name: 'opened-palette',
    ...{ path: '/dashboard', as: 'owner' },
    async open(page) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type('atlas');
      await page.locator('#palette [role=option]', { hasText: 'atlas-4-mini' }).waitFor();
    },
  },
  {
    name: 'opened-chart-tip',
    ...{ path: '/dashboard/usage?metric=requests&by=model', as: 'owner', width: 1440 },
    async open(page) {
      await page.locator('.chart-plot').first().focus();
      await page.keyboard.press('ArrowLeft');
      await page.locator('.chart-tip').waitFor();
    },
  },
];

const dialogs: readonly OpenedRow[] = [
  { name: 'opened-rotate', path: keyPath, as: 'resident', open: openDialog('Rotate') },
  { name: 'opened-revoke', path: keyPath, as: 'resident', open: openDialog('Revoke') },
];

const said: readonly OpenedRow[] = [
  {
    name: 'said-key-disabled',
    ...{ path: keyPath, as: 'resident' },
    async open(page) {
      await press(page, 'Disable');
      await toast(page);
    },
  },
  {
    name: 'said-settings-saved',
    ...{ path: '/dashboard/settings', as: 'resident' },
    async open(page) {
      await press(page, /^Save/);
      await toast(page);
    },
  },
  {
    name: 'said-login-wrong',
    path: '/login',
    async open(page) {
      await page.getByLabel('E-mail address').fill(newcomer);
      await page.getByLabel('Password', { exact: true }).fill('not the password');
      await press(page, 'Sign in');
      await alert(page);
    },
  },
  {
    name: 'said-verify-wrong',
    path: (site) => verifyPath(site, unverified),
    async open(page) {
      await page.getByLabel('Password', { exact: true }).fill('not the password');
      await press(page, 'Confirm and sign in');
      await alert(page);
    },
  },
  {
    name: 'said-signup-refused',
    path: '/signup',
    async open(page) {
      await page.getByLabel('Your name').fill('Ada Lovelace');
      await page.getByLabel('E-mail address').fill('ada@example.test');
      await page.getByLabel('Password', { exact: true }).fill('password');
      await page.getByRole('checkbox').check();
      await press(page, 'Create account');
      await alert(page);
    },
  },
  {
    name: 'said-key-refused',
    ...{ path: '/dashboard/keys/new', as: 'resident' },
    async open(page) {
      await page.getByLabel('Name', { exact: true }).fill('Nightly');
      await page.getByLabel('A month').fill('much');
      await page.getByLabel('Requests a minute').fill('-1');
      await press(page, 'Create key');
      await alert(page);
    },
  },
  {
    name: 'said-filter-refused',
    ...{ path: '/dashboard/request-log?min_cost=much', as: 'owner' },
    open: (page) => page.getByRole('main').waitFor(),
  },
  {
    name: 'said-password-wrong',
    ...{ path: '/dashboard/settings/security', as: 'resident' },
    async open(page) {
      await page.locator('input[name=current_password]').first().fill('not the password');
      await page.locator('input[name=password]').fill(password);
      await press(page, 'Save the password');
      await alert(page);
    },
  },
  {
    name: 'said-invitation-refused',
    ...{ path: '/dashboard/admin/users/invite', as: 'owner' },
    async open(page) {
      await page.getByLabel('E-mail address').fill(unverified.replace('@', '@@'));
      await page
        .locator('main form')
        .first()
        .evaluate((form: HTMLFormElement) => {
          form.noValidate = true;
        });
      await page.locator('main form button[type=submit]').first().click();
      await alert(page);
    },
  },
];

const done: readonly OpenedRow[] = [
  {
    name: 'done-key-token',
    ...{ path: '/dashboard/keys/new', as: 'resident' },
    async open(page) {
      await page.getByLabel('Name', { exact: true }).fill('Nightly evaluation');
      await press(page, 'Create key');
      await page.locator('.new-token').waitFor();
    },
  },
  {
    name: 'done-key-overlap',
    ...{ path: keyPath, as: 'resident' },
    async open(page) {
      await press(page, 'Rotate');
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click();
      await page.waitForURL('**/token');
      await page.getByRole('link', { name: 'To the key' }).click();
      await page.getByRole('button', { name: 'End now' }).waitFor();
    },
  },
  {
    name: 'done-model-tried',
    ...{ path: '/dashboard/models/simulator', as: 'owner' },
    async open(page) {
      await page.locator('#try textarea').fill('Why is the sky blue?');
      await page.locator('#try button[type=submit]').click();
      await page.locator('[data-record]:not([hidden])').waitFor();
    },
  },
  {
    name: 'done-two-step',
    ...{ path: '/dashboard/settings/security', as: 'newcomer' },
    async open(page) {
      await press(page, 'Set up');
      await page.locator('code.break').waitFor();
    },
  },
  {
    name: 'done-export-asked',
    // It is asked for once.
    ...{ path: '/dashboard/settings/data', as: 'newcomer', width: 1440 },
    async open(page) {
      const told = page.getByText('The file is being made').first();
      // In the second theme it may have been asked for, and be there.
      if ((await told.count()) === 0) await press(page, /^Make (the file|another)$/);
      await told.waitFor();
    },
  },
  {
    name: 'done-chart-as-table',
    ...{ path: '/dashboard/usage?metric=requests', as: 'owner' },
    async open(page) {
      await page.locator('.chart-plot').first().focus();
      await page.keyboard.press('t');
      // The focus scrolls, and the bar that stays at the top then covers a part of what is beneath it.
      await page.evaluate(() => scrollTo({ top: 0 }));
    },
  },
];

export const openedRows: readonly OpenedRow[] = [...menus, ...dialogs, ...said, ...done];
