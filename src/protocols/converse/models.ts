/**
 * What models behind the Converse API take, by their ids: the API is one, the models are many. What is true of Claude
 * wherever it is asked stands in the table of the messages protocol; here is what Bedrock makes of it, and of the others,
 * as its user guide has it in November 2026:
 *
 * - cache points: https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 * - schemas: https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html
 * - Mistral's ids of tool uses:
 *   https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-mistral-chat-completion.html
 */
import { type ClaudeModel, readClaudeModel, readClaudeVersion } from '../messages/models.ts';

export interface ModelTraits {
  /** Null for the models of other vendors, which take none of Claude's own fields. */
  readonly claude: ClaudeModel | null;
  /** Where the model takes cache points; the others refuse a request that has one. */
  readonly cachePoints: { readonly messages: boolean; readonly tools: boolean; readonly lifetimes: boolean };
  readonly strictTools: boolean;
  /** Can be held to a schema in its answer; others are told of it in words. */
  readonly schemas: boolean;
  /** Ids of tool uses have exactly nine characters. */
  readonly shortToolIds: boolean;
}

/** Of other vendors, those whose open models can be held to a schema here. */
const schemaMakers = /(?:^|[./])(?:qwen|deepseek|mistral|google|nvidia|minimax|moonshot(?:ai)?|openai)\./;
/** Of Claude's models, those that can be held to a schema here; the later ones cannot. */
const strictVersions: ReadonlySet<number> = new Set([405, 406]);
const firstVersionWithLifetimes = 405;

/**
 * Ids of models and of inference profiles, whole ARNs included. A profile of the account's own does not tell its model;
 * it is taken for one that knows only what all know.
 */
export function readModelTraits(id: string): ModelTraits {
  const claude = id.includes('claude') ? readClaudeModel(id) : null;
  const { version } = readClaudeVersion(id);
  return {
    claude,
    cachePoints: {
      messages: claude !== null || id.includes('amazon.nova'),
      tools: claude !== null,
      lifetimes: version >= firstVersionWithLifetimes,
    },
    strictTools: strictVersions.has(version),
    schemas: claude === null ? schemaMakers.test(id) : strictVersions.has(version),
    shortToolIds: id.includes('mistral.'),
  };
}
