/** The catalogue room: which models there are, what they cost, and which providers serve them. */
export { Catalogue } from './catalogue.ts';
export type { CatalogueWork } from './catalogue-work.ts';
export { withoutForeignModels, withoutForeignProviders } from './catalogue-work.ts';
export { CredentialKeeper, RenewalFailedError } from './credential-keeper.ts';
export {
  checkModels,
  checkProviders,
  type ModelDeclaration,
  type ProviderDeclaration,
} from './declaration.ts';
export {
  accountAddress,
  accountUuid,
  findServer,
  forgetServers,
  type InferenceServer,
  serverList,
} from './inference-servers.ts';
export {
  type CatalogueSnapshot,
  type Credential,
  capabilities,
  type Deployment,
  isMeter,
  type Meter,
  type Model,
  type ModelType,
  meters,
  modelTypes,
  orderings,
  type Prices,
  type PriceVersion,
  type Provider,
} from './model.ts';
export { disableUndeclaredModels, listModelsOf, upsertModels } from './models.ts';
export { MostCost, type MostUnseen, type MostUsage } from './most-cost.ts';
export { costNanoUsd, type LineItem, lineItems, readPrice } from './price.ts';
export { listedModels, priceListDate } from './price-list.ts';
export { areFree, type PricesInEffect, priceAt } from './price-versions.ts';
export {
  hideUndeclaredProviders,
  listProviderNames,
  resealCredentials,
  upsertProviders,
} from './providers.ts';
export {
  findUnpriced,
  type ListedVersion,
  listPriceVersions,
  PriceBook,
  setPrices,
  withdrawPrices,
} from './set-prices.ts';
