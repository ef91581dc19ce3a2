/** The models that somebody may ask for: what has no price is refused to those who pay. */
import type { CatalogueSnapshot, Model } from '../../catalogue/index.ts';
import type { User } from '../../identity/index.ts';

export const usableModels = (
  { billingExempt }: Pick<User, 'billingExempt'>,
  { models }: CatalogueSnapshot,
): readonly Model[] => models.filter(({ prices }) => prices !== null || billingExempt);
