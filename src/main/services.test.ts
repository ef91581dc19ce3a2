import { expect, spyOn, test } from 'bun:test';
import { startTestSluice } from '../../test/support/sluice.ts';

test('a stop that cannot write what waits lets go of the rest and says so', async () => {
  const sluice = await startTestSluice();
  const { services } = sluice.running;
  try {
    const closeCatalogue = spyOn(services.catalogue, 'close');
    const abandonWallets = spyOn(services.wallets, 'abandon');
    spyOn(services.settlement, 'close').mockRejectedValueOnce(new Error('usage is lost'));
    await expect(services.close()).rejects.toThrow('usage is lost');
    expect(closeCatalogue).toHaveBeenCalledTimes(1);
    // What is leased pays for what waits, and nothing of it may keep the process from ending.
    expect(abandonWallets).toHaveBeenCalledTimes(1);
  } finally {
    await sluice.stop();
  }
});
