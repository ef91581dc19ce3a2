import { expect, test } from 'bun:test';
import { mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLog } from './log.ts';

test('writes one JSON object a line and only the fields on the list', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-log-')), 'log');
  const log = openLog({ level: 'info', fileDescriptor: openSync(file, 'w') });
  const fields = { requestId: 'r1', status: 200, authorization: 'Bearer secret', body: 'private' };
  log.info('request', fields);
  log.debug('not at this level');
  await log.flush();
  const [line, ...rest] = readFileSync(file, 'utf8').trim().split('\n');
  expect(rest).toEqual([]);
  const { time, ...written } = JSON.parse(line ?? '');
  expect(Date.parse(time)).toBeGreaterThan(0);
  expect(written).toEqual({ level: 'info', msg: 'request', requestId: 'r1', status: 200 });
});

test('shortens a detail to 500 characters and a stack to 4,000, and leaves shorter ones', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-log-')), 'log');
  const log = openLog({ level: 'info', fileDescriptor: openSync(file, 'w') });
  log.error('long', { detail: 'd'.repeat(501), stack: 's'.repeat(4_001), requestId: 'r1' });
  log.error('short', { detail: 'd'.repeat(500) });
  await log.flush();
  const [long, short] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(long).toMatchObject({
    requestId: 'r1',
    detail: `${'d'.repeat(499)}…`,
    stack: `${'s'.repeat(3_999)}…`,
  });
  expect(short.detail).toBe('d'.repeat(500));
  expect(short).not.toHaveProperty('stack');
});
