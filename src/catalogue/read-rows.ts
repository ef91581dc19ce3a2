/** The rows that a snapshot is made of: visible providers, enabled credentials and models, and what hangs on them. */
import { asc, eq } from 'drizzle-orm';
import type { Executor } from '../storage/database.ts';
import {
  deployments,
  modelAliases,
  modelPrices,
  models,
  providerCredentials,
  providers,
} from '../storage/schema/catalogue.ts';

export type CatalogueRows = Awaited<ReturnType<typeof readRows>>;

/** Several statements: run it in a transaction that sees one moment. */
export async function readRows(executor: Executor) {
  return {
    providers: await executor.select().from(providers).where(eq(providers.visible, true)),
    credentials: await executor
      .select()
      .from(providerCredentials)
      .where(eq(providerCredentials.enabled, true))
      .orderBy(asc(providerCredentials.id)),
    models: await executor
      .select()
      .from(models)
      .where(eq(models.enabled, true))
      .orderBy(asc(models.displayOrder), asc(models.publicId)),
    prices: await executor.select().from(modelPrices),
    aliases: await executor.select().from(modelAliases).orderBy(asc(modelAliases.alias)),
    deployments: await executor.select().from(deployments).orderBy(asc(deployments.position)),
  };
}
