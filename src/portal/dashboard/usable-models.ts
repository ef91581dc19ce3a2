/** The models that somebody may ask for: what has no price is refused to those who pay. */
import type { CatalogueSnapshot, Model } from '../../catalogue/index.ts';
import type { Payment } from '../payment.ts';

export const usableModels = ({ by }: Pick<Payment, 'by'>, { models }: CatalogueSnapshot): readonly Model[] =>
  models.filter(({ prices }) => prices !== null || by === 'nobody');
