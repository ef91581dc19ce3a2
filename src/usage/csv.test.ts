/** What of the request log stands in a file of comma-separated values. */
import { expect, test } from 'bun:test';
import type { StoredUsageRecord } from './index.ts';
import { streamCsv, writeCsvLine } from './index.ts';
import { sampleRecord } from './testing/sample-record.ts';

function stored(change: Partial<StoredUsageRecord>): StoredUsageRecord {
  const { attempts, ...record } = sampleRecord('csv');
  return { ...record, attempts: attempts.length, attemptRecords: attempts, ...change };
}

async function gather(lines: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const line of lines) text += line;
  return text;
}

test('a line has a cell for each column of the header, amounts in USD and times in UTC', async () => {
  const line = writeCsvLine(stored({ costNanoUsd: 1_500_000_001n, chargedNanoUsd: 0n, durationMs: 12.5 }));
  const text = await gather(streamCsv(() => Promise.resolve({ lines: [line], next: null })));
  const [header = '', cells = '', end] = text.split('\r\n');
  expect(end).toBe('');
  const row = Object.fromEntries(header.split(',').map((name, place) => [name, cells.split(',')[place]]));
  expect(cells.split(',')).toHaveLength(header.split(',').length);
  expect(row).toMatchObject({
    started_at: '2031-03-04T05:06:07.089Z',
    model: 'gpt-4o-mini',
    cost_usd: '1.500000001',
    duration_ms: '12.5',
    first_byte_ms: '',
    tags: '',
  });
});

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@sum', "'@sum"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"\r'=1"`],
  ['\n=1', `"\n'=1"`],
  ['x\n=WEBSERVICE(A1);y', `"x\n'=WEBSERVICE(A1);y"`],
  ['x\r\n =1', `"x\r\n' =1"`],
  ['x\r\n\r\n=1', `"x\r\n\r\n'=1"`],
  [' =1', "' =1"],
  ['a;=1', "a;'=1"],
  ['a;;=1;b;+1', "a;;'=1;b;'+1"],
  ['a;"=1', `"a;'""=1"`],
  ['a\n"" =1', `"a\n'"""" =1"`],
  ['a=b', 'a=b'],
  ['a,b', '"a,b"'],
  ['say "so"', '"say ""so"""'],
  ['two\nlines', '"two\nlines"'],
  ['=HYPERLINK("http://x.test","y")', `"'=HYPERLINK(""http://x.test"",""y"")"`],
])('what a client wrote as %j is no formula and breaks no line', (endUser, cell) => {
  const labels = { sessionId: 'before', endUser, tags: ['a=b', 'c'] };
  expect(writeCsvLine(stored({ labels }))).toEndWith(`,before,${cell},a=b;c\r\n`);
});

test('a tag that looks like a formula is none, wherever it stands', () => {
  const labels = { sessionId: null, endUser: null, tags: ['=a', 'b', '=c'] };
  expect(writeCsvLine(stored({ labels }))).toEndWith(",,,'=a;b;'=c\r\n");
});

test('pages follow each other until there is none, each asked for when the one before is read', async () => {
  const asked: (string | undefined)[] = [];
  const pages = [
    { lines: ['1\r\n'], next: 'a' },
    { lines: [], next: 'b' },
    { lines: ['2\r\n', '3\r\n'], next: null },
  ];
  const stream = streamCsv((before) => {
    asked.push(before);
    return Promise.resolve(pages[asked.length - 1] ?? { lines: [], next: null });
  });
  await stream.next();
  expect(asked).toEqual([]);
  expect((await stream.next()).value).toBe('1\r\n');
  expect(asked).toEqual([undefined]);
  expect(await gather(stream)).toBe('2\r\n3\r\n');
  expect(asked).toEqual([undefined, 'a', 'b']);
});
