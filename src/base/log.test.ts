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
