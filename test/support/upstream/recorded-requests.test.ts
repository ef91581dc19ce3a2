/** Requests that real hosts took: the double, strict as it is, takes them too. Skipped where no folder of captures is at hand. */
import { afterAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { capturesFolder, startUpstream } from './index.ts';
import { parseJson, readText } from './json.ts';

const upstream = startUpstream();
afterAll(() => upstream.stop());

const folder = capturesFolder();

const pathOf = (protocol: string, body: unknown): string | undefined => {
  const paths: Readonly<Record<string, string>> = {
    responses: '/responses',
    anthropic: '/messages',
    'chat-completions': '/chat/completions',
    google: `/models/${readText(body, 'model') ?? 'gemini-2.5-flash'}:generateContent`,
  };
  return paths[protocol];
};

/** First turns only: later ones hold what the real host signed, and the double could not know it. */
function acceptedRequests(root: string): string[] {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return files.filter((file) => file.endsWith('/request.json') && files.includes(answerBeside(file)));
}

const answerBeside = (file: string): string => join(dirname(file), 'response.json');

test.skipIf(folder === undefined)('every request that a real host answered is answered', async () => {
  const refused: string[] = [];
  const files = acceptedRequests(folder ?? '');
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const path = pathOf(basename(dirname(file)), parseJson(text));
    if (path === undefined) continue;
    const response = await fetch(upstream.url + path, { method: 'POST', body: text });
    if (!response.ok) refused.push(`${file}: ${await response.text()}`);
  }
  expect(refused).toEqual([]);
  expect(upstream.counts.requests).toBeGreaterThan(50);
});
