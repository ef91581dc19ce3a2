/** Which headers say that a quota is used up, and until when. */
import { expect, test } from 'bun:test';
import { readSpentMs } from './refusal-headers.ts';

const nowMs = Date.UTC(2030, 0, 1);
const inAnHour = nowMs / 1000 + 3600;

test.each([
  [{}, null],
  [{ 'x-codex-primary-used-percent': '99.9', 'x-codex-primary-reset-after-seconds': '600' }, null],
  [{ 'x-codex-primary-used-percent': '100', 'x-codex-primary-reset-after-seconds': '600' }, 600_000],
  [{ 'x-codex-primary-used-percent': '100' }, null],
  [
    {
      'x-codex-primary-used-percent': '100',
      'x-codex-primary-reset-after-seconds': '600',
      'x-codex-secondary-used-percent': '120',
      'x-codex-secondary-reset-after-seconds': '7200',
    },
    7_200_000,
  ],
  [
    { 'x-codex-secondary-used-percent': '100', 'x-codex-secondary-reset-after-seconds': '1e12' },
    2_678_400_000,
  ],
  [
    { 'anthropic-ratelimit-unified-status': 'rejected', 'anthropic-ratelimit-unified-reset': `${inAnHour}` },
    3_600_000,
  ],
  [
    { 'anthropic-ratelimit-unified-status': 'allowed', 'anthropic-ratelimit-unified-reset': `${inAnHour}` },
    null,
  ],
  [
    {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': new Date(nowMs + 60_000).toISOString(),
    },
    60_000,
  ],
  [{ 'anthropic-ratelimit-unified-status': 'rejected', 'anthropic-ratelimit-unified-reset': 'soon' }, null],
])('%j is %p ms', (headers, spentMs) => {
  expect(readSpentMs(new Headers(headers as Record<string, string>), nowMs)).toBe(spentMs);
});
