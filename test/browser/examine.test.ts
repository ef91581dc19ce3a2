/** What the checks of pages must notice, shown on pages that have it. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { describeInBrowser } from './browser.ts';
import { bringAxe, findBarriers, findOverflow, readFirstPaint, weigh } from './examine.ts';

const policy = "default-src 'none'; style-src 'self'; script-src 'self'";
const answers: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/sound': ['text/html', '<!doctype html><html lang="en"><title>Sound</title><main><h1>Sound</h1></main>'],
  '/pale': [
    'text/html',
    '<!doctype html><html lang="en"><title>Pale</title><link rel="stylesheet" href="/pale.css"><p>Pale</p>',
  ],
  '/pale.css': [
    'text/css',
    'p { color: #ccc; background: #fff } @media (prefers-color-scheme: dark) { p { color: #000 } }',
  ],
  '/wide': [
    'text/html',
    '<!doctype html><html lang="en"><title>Wide</title><link rel="stylesheet" href="/wide.css"><p>Wide</p>',
  ],
  '/wide.css': ['text/css', 'p { width: 800px }'],
  '/foreign': [
    'text/html',
    '<!doctype html><html lang="en"><title>Foreign</title><img alt="" src="http://127.0.0.2:9/a.png">',
  ],
  '/inline': ['text/html', '<!doctype html><html lang="en"><title>Inline</title><script>1</script>'],
  '/throws': [
    'text/html',
    '<!doctype html><html lang="en"><title>Throws</title><script src="/throws.js"></script>',
  ],
  '/throws.js': ['text/javascript', `throw new Error('${'on purpose '.repeat(100)}')`],
};

describeInBrowser('the checks of pages', (openWindow) => {
  let server: Bun.Server<undefined>;
  beforeAll(() => {
    server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer });
  });
  afterAll(() => server?.stop(true));

  function answer(http: Request): Response {
    const { pathname } = new URL(http.url);
    const [type, body] = answers[pathname] ?? ['text/plain', ''];
    const cached = pathname.endsWith('.js') ? { 'cache-control': 'max-age=60' } : {};
    const headers = { 'content-type': type, 'content-security-policy': policy, ...cached };
    return new Response(body, { headers });
  }

  async function visit(path: string) {
    const site = server.url.origin;
    const window = await openWindow({ site, width: 390, theme: 'light' });
    const readWeight = weigh(window);
    await window.page.goto(`${site}${path}`);
    return { ...window, readWeight };
  }

  test('find nothing on a sound page', async () => {
    const { page, problems, close } = await visit('/sound');
    await bringAxe(page);
    expect(await findBarriers(page)).toEqual([]);
    expect(await findOverflow(page)).toEqual([]);
    expect(await readFirstPaint(page)).toBeGreaterThan(0);
    expect(problems).toEqual([]);
    await close();
  });

  test('notice text that is too pale, in the theme that has it', async () => {
    const { page, close } = await visit('/pale');
    await bringAxe(page);
    expect((await findBarriers(page)).join()).toStartWith('color-contrast: p: ');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findBarriers(page)).toEqual([]);
    await close();
  });

  test('notice a page that is wider than its window, and name what makes it so', async () => {
    const { page, resize, close } = await visit('/wide');
    expect((await findOverflow(page)).join()).toContain('<p>Wide</p>');
    await resize(1440);
    expect(await findOverflow(page)).toEqual([]);
    await close();
  });

  test('notice another host, a script inside the page and a script that throws, and weigh scripts', async () => {
    const foreign = await visit('/foreign');
    expect(foreign.problems.join()).toContain('asks another host: http://127.0.0.2:9/a.png');
    const inline = await visit('/inline');
    expect(inline.problems.join()).toContain('Content Security Policy');
    const throws = await visit('/throws');
    expect(throws.problems.join()).toContain('script: on purpose');
    const { script } = await throws.readWeight();
    expect(script).toBeGreaterThan(1000);
    const readAgain = weigh(throws);
    await throws.page.goto(`${server.url.origin}/throws`);
    expect((await readAgain()).script).toBe(script);
    for (const { close } of [foreign, inline, throws]) await close();
  });
});
