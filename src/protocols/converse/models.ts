/** What models behind the Converse API take, by their ids: the API is one, the models are many. */
import { type ClaudeModel, readClaudeModel } from '../messages/models.ts';

export interface ModelTraits {
  /** Null for the models of other vendors, which take none of Claude's own fields. */
  readonly claude: ClaudeModel | null;
  /** Where the model takes cache points; the others refuse a request that has one. */
  readonly cachePoints: { readonly messages: boolean; readonly tools: boolean; readonly lifetimes: boolean };
  readonly strictTools: boolean;
  /** Ids of tool uses have exactly nine characters. */
  readonly shortToolIds: boolean;
}

/**
 * Ids of models and of inference profiles, whole ARNs included. A profile of the account's own does not tell its model;
 * it is taken for one that knows only what all know.
 */
export function readModelTraits(id: string): ModelTraits {
  const claude = id.includes('claude') ? readClaudeModel(id) : null;
  const is45 = /claude-[a-z]+-4-5(?!\d)/.test(id);
  const isLater = claude?.reasoning === 'effort';
  return {
    claude,
    cachePoints: {
      messages: claude !== null || id.includes('amazon.nova'),
      tools: claude !== null,
      lifetimes: is45 || isLater,
    },
    // Among the later ones only 4.6, which still takes sampling parameters.
    strictTools: is45 || (isLater && claude.sampling),
    shortToolIds: id.includes('mistral.'),
  };
}
