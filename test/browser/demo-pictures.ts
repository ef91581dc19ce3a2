/** Pictures of the dashboard with the demonstration's data, which nobody's page is empty of. */
import { join } from 'node:path';
import { type DemoProgram, startDemoProgram } from '../demo/program.ts';
import { launchNamed, openWindow, themes, type Window, widths } from './browser.ts';
import { takePicture } from './picture.ts';

interface DemoPage {
  readonly name: string;
  readonly path: string;
  /** What is shown is the first thing of the list at the path whose address is like this. */
  readonly first?: RegExp;
}

const ofAnybody: readonly DemoPage[] = [
  { name: 'home', path: '/dashboard' },
  { name: 'home-today', path: '/dashboard?days=1' },
  { name: 'keys', path: '/dashboard/keys?sort=-spend' },
  { name: 'key', path: '/dashboard/keys?sort=-spend', first: /^\/dashboard\/keys\/\d+$/ },
  { name: 'key-new', path: '/dashboard/keys/new' },
  { name: 'models', path: '/dashboard/models' },
  { name: 'model', path: '/dashboard/models', first: /^\/dashboard\/models\/[^?]+$/ },
  { name: 'usage', path: '/dashboard/usage' },
  { name: 'usage-keys', path: '/dashboard/usage?by=key&range=365d' },
  { name: 'usage-latency', path: '/dashboard/usage?metric=latency&range=90d' },
  { name: 'requests', path: '/dashboard/request-log' },
  {
    name: 'request',
    path: '/dashboard/request-log?status=failed&range=all',
    first: /^\/dashboard\/request-log\/[0-9a-f-]{36}/,
  },
  { name: 'activity', path: '/dashboard/activity' },
  { name: 'guide', path: '/dashboard/guide' },
  { name: 'settings', path: '/dashboard/settings' },
  { name: 'settings-security', path: '/dashboard/settings/security' },
  { name: 'settings-data', path: '/dashboard/settings/data' },
];
const ofAdmins: readonly DemoPage[] = [{ name: 'invitations', path: '/dashboard/admin/users/invite' }];

/** Who administers others looks at all of it; what is a person's own is Felix's. */
const visitors = [
  { visitor: 'olga', pages: [...ofAnybody, ...ofAdmins], isWide: true },
  { visitor: 'agnes', pages: [...ofAnybody, ...ofAdmins], isWide: true },
  { visitor: 'felix', pages: ofAnybody, isWide: false },
] as const;

interface DemoPictures {
  readonly folder: string;
  /** Of a name such as `demo-agnes-keys`. */
  readonly isWanted: (name: string) => boolean;
  readonly rows: number;
  readonly say: (line: string) => void;
}

/** @returns how many were taken. */
export async function takeDemoPictures({ folder, isWanted, rows, say }: DemoPictures): Promise<number> {
  const nameOf = (visitor: string, page: DemoPage) => `demo-${visitor}-${page.name}`;
  const demo = await startDemoProgram({ kind: 'embedded', rows });
  const browser = await launchNamed();
  let count = 0;
  try {
    const site = demo.program.url;
    for (const { visitor, pages, isWide } of visitors) {
      const wanted = pages.filter((page) => isWanted(nameOf(visitor, page)));
      const signedIn = wanted.length === 0 ? undefined : await sessionOf(demo, visitor, isWide);
      for (const page of wanted) {
        for (const width of widths) {
          for (const theme of themes) {
            const window = await openWindow(browser, { site, width, theme, signedIn });
            const path = join(folder, `${nameOf(visitor, page)}-${width}-${theme}.png`);
            await takePicture(window, { address: await addressOf(window, page, site), path });
            for (const problem of window.problems) say(`${nameOf(visitor, page)}: ${problem}`);
            count += 1;
          }
        }
      }
    }
  } finally {
    await browser.close();
    await demo.discard();
  }
  if (count === 0) throw new Error('No page of the demonstration has such a name.');
  return count;
}

async function sessionOf(demo: DemoProgram, visitor: string, isWide: boolean) {
  const cookie = await demo.signIn(visitor);
  if (isWide) {
    const sent = { method: 'POST', headers: { cookie, origin: demo.program.url } };
    const { ok, status } = await fetch(`${demo.program.url}/dashboard/toggle-admin-mode`, sent);
    if (!ok) throw new Error(`The view of administrators answered ${status}.`);
  }
  const [name = '', value = ''] = cookie.split(/=(.*)/s);
  const { hostname } = new URL(demo.program.url);
  const lasts = { expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' as const };
  return { cookies: [{ name, value, domain: hostname, path: '/', ...lasts }], origins: [] };
}

async function addressOf({ page }: Window, { path, first }: DemoPage, site: string): Promise<string> {
  if (first === undefined) return `${site}${path}`;
  await page.goto(`${site}${path}`);
  const links = await page
    .locator('main a')
    .evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''));
  return `${site}${links.find((link) => first.test(link)) ?? path}`;
}
