import { expect, test } from 'bun:test';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLog } from './log.ts';
import { ManualClock } from './testing/manual-clock.ts';

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

test('goes on when nobody reads it any more, and says how many lines were lost once somebody does', async () => {
  const pipe = join(mkdtempSync(join(tmpdir(), 'sluice-log-')), 'pipe');
  expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0);
  const openReader = () => openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const before = openReader();
  const fileDescriptor = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  const clock = new ManualClock();
  const log = openLog({ level: 'info', fileDescriptor, clock });
  closeSync(before);
  log.info('first');
  log.info('second');
  await clock.advance(250);
  log.info('while nothing is tried');
  log.info('larger than the buffer', { model: 'x'.repeat(70_000) });
  await log.flush();
  const after = openReader();
  await clock.advance(5_000);
  log.info('again');
  await log.flush();
  await log.flush();
  const buffer = Buffer.alloc(10_000);
  const lines = buffer.toString('utf8', 0, readSync(after, buffer)).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'again' },
    {
      level: 'error',
      msg: 'lines of this log are lost: they could not be written',
      count: 4,
      detail: expect.stringContaining('EPIPE'),
    },
  ]);
});
