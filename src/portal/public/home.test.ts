import { expect, test } from 'bun:test';
import { startTestSluice } from '../../../test/support/sluice.ts';

test('the landing page shows commands with all that they must have', async () => {
  const sluice = await startTestSluice();
  const page = await (await fetch(`${sluice.url}/`)).text();
  await sluice.stop();
  expect(page).toContain('<code>npx sluice users sign-in-link --owner &lt;e-mail&gt;</code>');
});
