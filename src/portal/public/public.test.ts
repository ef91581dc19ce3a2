import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestSluice, type TestSluice, usualModel } from '../../../test/support/sluice.ts';
import { type Language, languages } from '../languages/language.ts';
import { productWords } from '../languages/product/index.ts';
import { trustWords } from '../languages/trust/index.ts';
import { articleNames } from './article.tsx';

const models = [
  usualModel,
  {
    ...{ id: 'maker/large', type: 'chat', owned_by: 'maker', aliases: ['large'], context_window: 1_000 },
    ...{ capabilities: ['reasoning'], prices: { input: 3, output: 15, input_priority_above_200k: 7 } },
    providers: [{ provider: 'main', upstream_id: 'large' }],
  },
  {
    ...{ id: "odd'&<name>", type: 'embedding', owned_by: 'maker', prices: { input: 0 } },
    providers: [{ provider: 'main', upstream_id: 'odd' }],
  },
  {
    ...{ id: 'hears', type: 'transcription', owned_by: 'other', prices: { audio_second: 100 } },
    providers: [{ provider: 'main', upstream_id: 'hears' }],
  },
  {
    ...{ id: 'unpriced', type: 'chat', owned_by: 'other' },
    providers: [{ provider: 'main', upstream_id: 'unpriced' }],
  },
];

let sluice: TestSluice;
beforeAll(async () => {
  sluice = await startTestSluice({ file: () => ({ models }) });
});
afterAll(() => sluice.stop());

async function open(path: string, language = 'en') {
  const answer = await fetch(`${sluice.url}${path}`, {
    redirect: 'manual',
    headers: { accept: 'text/html', 'accept-language': language },
  });
  return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() };
}

/** The names that the list shows, in its order. */
async function listed(query: string): Promise<readonly string[]> {
  const { text } = await open(`/models-public${query}`);
  return [...text.matchAll(/name="compare" value="([^"]+)"/g)].map(([, name]) => name ?? '');
}

describe('the list of models', () => {
  const odd = 'odd&#39;&amp;&lt;name&gt;';

  test.each([
    ['', ['double-1', 'maker/large', odd, 'hears']],
    ['?type=chat', ['double-1', 'maker/large']],
    ['?type=nonsense&capability=nonsense&sort=nonsense&page=-3', ['double-1', 'maker/large', odd, 'hears']],
    ['?capability=reasoning', ['maker/large']],
    ['?q=LARGE', ['maker/large']],
    ['?q=maker%20odd', [odd]],
    ['?sort=-model', [odd, 'maker/large', 'hears', 'double-1']],
    ['?sort=input', [odd, 'double-1', 'maker/large', 'hears']],
    ['?sort=-input', ['maker/large', 'double-1', odd, 'hears']],
    ['?sort=__proto__', ['double-1', 'maker/large', odd, 'hears']],
    ['?sort=-valueOf', ['double-1', 'maker/large', odd, 'hears']],
    ['?sort=context', ['maker/large', 'double-1', odd, 'hears']],
    ['?q=nothing-like-it', []],
    ['?page=2', []],
  ])('%p shows %p', async (query, names) => expect(await listed(query)).toEqual(names));

  test('does not offer what has no price', async () => {
    expect((await open('/models-public')).text).not.toContain('unpriced');
    expect((await open('/models-public/unpriced')).status).toBe(302);
  });

  test('compares those that are named, once each, and no more than four', async () => {
    const query = ['double-1', 'maker/large', 'double-1', 'no-such'].map((id) => `compare=${id}`).join('&');
    const { text } = await open(`/models-public?${query}`);
    const [, comparison = ''] = /<section class="comparison".*?>(.*?)<\/section>/s.exec(text) ?? [];
    expect(comparison.match(/<th scope="col">/g)).toHaveLength(3);
    expect(comparison).toContain('$15.00 per million');
    expect(text).not.toContain('Four fit beside each other');
  });

  test('goes on comparing what is not shown to be ticked', async () => {
    const { text } = await open('/models-public?q=large&compare=hears&compare=maker/large');
    const form = /<form method="get" id="[^"]*" class="row compare-go".*?<\/form>/s.exec(text)?.[0] ?? '';
    expect(form.match(/name="compare" value="[^"]*"/g)).toEqual(['name="compare" value="hears"']);
    expect((await open('/models-public?q=large')).text).not.toContain('compare-go');
  });

  test('keeps the filters where a search or a comparison is sent', async () => {
    const { text } = await open('/models-public?type=chat&sort=-input&q=l');
    expect(text.match(/<input type="hidden" name="type" value="chat"\/>/g)).toHaveLength(2);
    expect(text.match(/<input type="hidden" name="q" value="l"\/>/g)).toHaveLength(1);
  });
});

describe('the page of a model', () => {
  test('has a slash in its address, its prices and a request to copy', async () => {
    const { status, text } = await open('/models-public/maker/large');
    expect(status).toBe(200);
    expect(text).toContain('$3.00 per million');
    expect(text).toContain('Input, tier priority, prompts above 200,000 tokens');
    expect(text).toContain(`${sluice.url}/v1/chat/completions`);
  });

  test('escapes a name for the page, the address and the shell', async () => {
    const { status, text } = await open(`/models-public/${encodeURIComponent("odd'&<name>")}`);
    expect(status).toBe(200);
    expect(text).not.toContain('<name>');
    expect(text).toContain(`odd&#39;\\&#39;&#39;&amp;&lt;name&gt;`);
  });

  test('that has another name leads to the one it has', async () => {
    expect(await open('/models-public/large')).toMatchObject({
      status: 302,
      location: '/models-public/maker/large',
    });
  });

  test('that is not there leads to a search for it', async () => {
    expect(await open('/models-public/no/such?x=1')).toMatchObject({
      status: 302,
      location: '/models-public?q=no%2Fsuch',
    });
  });

  test('of audio tells the price of a minute, and how to send a file', async () => {
    const { text } = await open('/models-public/hears');
    expect(text).toContain('$0.006 per minute');
    expect(text).toContain('-F file=@speech.mp3');
  });
});

describe('every public page', () => {
  const paths = ['/', '/models-public', '/models-public/double-1', '/developers'];

  test.each(languages)('is complete in %s', async (language) => {
    for (const path of [...paths, ...articleNames.map((name) => `/${name}`)]) {
      const { status, text } = await open(path, language);
      expect([path, status]).toEqual([path, 200]);
      expect(text).toContain(`<html lang="${language}">`);
      expect(text).toMatch(/<meta name="description" content="[^"]{30,}"/);
      expect(text).not.toMatch(/undefined|\[object|NaN|<style|\sstyle=|\son\w+=/);
    }
  });

  test('has as much to say in every language', () => {
    const shapeOf = (language: Language) => {
      const articles = { ...productWords[language], ...trustWords[language] };
      return articleNames.map((name) => articles[name].sections.map(({ points }) => points.length));
    };
    for (const language of languages) expect(shapeOf(language)).toEqual(shapeOf('en'));
  });

  test('shows the address that it was asked at in every sample', async () => {
    const { text } = await open('/developers');
    const samples = text.match(/<code>.*?<\/code>/gs) ?? [];
    expect(samples.filter((sample) => sample.includes(sluice.url)).length).toBeGreaterThanOrEqual(12);
    expect(text).not.toContain('localhost:');
  });

  test('leads only to pages that are there', async () => {
    const hrefs = new Set<string>();
    for (const path of [...paths, '/pricing']) {
      for (const [, href = ''] of (await open(path)).text.matchAll(/<a [^>]*href="(\/[^"#?]*)/g))
        hrefs.add(href);
    }
    for (const href of hrefs) expect([href, (await open(href)).status]).not.toEqual([href, 404]);
  });
});

describe('robots', () => {
  test('are told where the sitemap is, and it lists pages that are there', async () => {
    expect((await open('/robots.txt')).text).toContain(`Sitemap: ${sluice.url}/sitemap.xml`);
    const { text } = await open('/sitemap.xml');
    const addresses = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => address ?? '');
    expect(addresses.length).toBeGreaterThan(18);
    expect(addresses).toContain(`${sluice.url}/models-public/maker/large`);
    expect(text).not.toContain('unpriced');
    for (const address of addresses) {
      expect(address).toStartWith(sluice.url);
      const path = address.slice(sluice.url.length).replaceAll('&apos;', "'").replaceAll('&amp;', '&');
      expect([path, (await open(path)).status]).toEqual([path, 200]);
    }
  });
});
