import { expect, test } from 'bun:test';
import { startTestSluice } from '../../../test/support/sluice.ts';
import { figuresIn } from '../ui/figures.ts';
import { addedMs } from './example-request.tsx';

test('the landing page shows commands with all that they must have', async () => {
  const sluice = await startTestSluice();
  const page = await (await fetch(`${sluice.url}/`)).text();
  await sluice.stop();
  expect(page).toContain('<code>npx sluice users sign-in-link --owner &lt;e-mail&gt;</code>');
  // What the gateway adds is one figure, in the example as among those that were measured.
  const added = figuresIn('en').decimal(addedMs, 1);
  expect(page).toContain(`<span class="number">${added} ms</span>`);
  expect(page).toContain(`${added}<span class="unit">ms<`);
});
