import { expect, test } from 'bun:test';
import { openEnvelope } from './envelope.ts';

const secret = 'a service secret of at least 32 characters';

test('a sealed secret opens under the same service secret and shows nothing of itself', async () => {
  const envelope = await openEnvelope(secret);
  const sealed = await envelope.seal('sk-upstream-123');
  expect(sealed).not.toContain('upstream');
  expect(await (await openEnvelope(secret)).open(sealed)).toBe('sk-upstream-123');
  expect(await envelope.seal('sk-upstream-123')).not.toBe(sealed);
});

test('another service secret, an altered box and plain text are refused', async () => {
  const envelope = await openEnvelope(secret);
  const sealed = await envelope.seal('sk-upstream-123');
  const other = await openEnvelope('another service secret of 32 characters!');
  await expect(other.open(sealed)).rejects.toThrow();
  const altered = `${sealed.slice(0, 20)}${sealed[20] === 'A' ? 'B' : 'A'}${sealed.slice(21)}`;
  await expect(envelope.open(altered)).rejects.toThrow();
  await expect(envelope.open('sk-upstream-123')).rejects.toThrow('not a sealed value');
});
