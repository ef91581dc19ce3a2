/**
 * Whether a model thinks without showing all of it, by its id and by what it was sent: what it then generated is in no
 * text. The tables of each vendor's models are the source of what a model does unasked.
 */
import { thinksUnasked } from '../chat-completions/models.ts';
import { readGeminiModel } from '../google/models.ts';
import { asFilledText, asNumber, asObject, type JsonObject } from '../json/fields.ts';
import { readClaudeModel } from '../messages/models.ts';

export interface SentReasoning {
  /** `unless shown`: a model of which nothing more is known, whose thoughts are all shown where any are. */
  readonly hides: 'nothing' | 'much' | 'unless shown';
  /** Bound of the thoughts alone. */
  readonly budgetTokens: number | null;
}

interface Asked {
  readonly thinking: boolean | undefined;
  readonly budgetTokens: number | null;
}

/**
 * @param sent `json` the body as it went to the upstream, in its protocol; `model` by its id there; `reasons` whether the
 *   catalogue says that it can.
 */
export function readSentReasoning(sent: {
  readonly upstream: string;
  readonly model: string;
  readonly json: JsonObject;
  readonly reasons: boolean;
}): SentReasoning {
  const { thinking, budgetTokens } = readAsked[sent.upstream]?.(sent.json) ?? nothingAsked;
  const known = readKnown(sent.model);
  if (known === 'cannot' || thinking === false) return { hides: 'nothing', budgetTokens };
  if (known === null) return { hides: sent.reasons ? 'unless shown' : 'nothing', budgetTokens };
  return { hides: thinking === true || known === 'reasons' ? 'much' : 'nothing', budgetTokens };
}

/** What a model that hides its thoughts does unasked; null for models of other makers, and for Claude before 4, which shows all. */
function readKnown(id: string): 'reasons' | 'rests' | 'cannot' | null {
  const ofOpenai = thinksUnasked(id);
  if (ofOpenai !== null) return ofOpenai;
  const { unshownThoughts } = readClaudeModel(id);
  if (unshownThoughts !== 'never') return unshownThoughts === 'unasked' ? 'reasons' : 'rests';
  if (!id.includes('gemini')) return null;
  const { thinking } = readGeminiModel(id);
  if (thinking.by === 'none') return 'cannot';
  return thinking.by === 'budget' && !thinking.thinksUnasked ? 'rests' : 'reasons';
}

const nothingAsked: Asked = { thinking: undefined, budgetTokens: null };

const byEffort = (effort: unknown): boolean | undefined =>
  asFilledText(effort) === undefined ? undefined : effort !== 'none';

function byType(thinking: JsonObject | undefined): Asked {
  const type = asFilledText(thinking?.['type']);
  const isOff = type === 'disabled' || type === 'between_tools';
  return {
    thinking: type === undefined ? undefined : !isOff,
    budgetTokens: asNumber(thinking?.['budget_tokens']) ?? null,
  };
}

function ofCompletions(json: JsonObject): Asked {
  const reasoning = asObject(json['reasoning']);
  const { thinking, budgetTokens } = byType(asObject(json['thinking']));
  const enabled = reasoning?.['enabled'] ?? json['enable_thinking'];
  return {
    thinking:
      byEffort(json['reasoning_effort'] ?? reasoning?.['effort']) ??
      thinking ??
      (typeof enabled === 'boolean' ? enabled : undefined),
    budgetTokens: asNumber(reasoning?.['max_tokens']) ?? budgetTokens,
  };
}

const ofResponses = (json: JsonObject): Asked => ({
  thinking: byEffort(asObject(json['reasoning'])?.['effort']),
  budgetTokens: null,
});

function ofGoogle(json: JsonObject): Asked {
  const config = asObject(asObject(json['generationConfig'])?.['thinkingConfig']);
  const budget = asNumber(config?.['thinkingBudget']);
  if (budget !== undefined) return { thinking: budget !== 0, budgetTokens: budget > 0 ? budget : null };
  return { thinking: byEffort(config?.['thinkingLevel']), budgetTokens: null };
}

/** By upstream protocol. */
const readAsked: Readonly<Record<string, (json: JsonObject) => Asked>> = {
  'chat-completions': ofCompletions,
  responses: ofResponses,
  native: ofResponses,
  messages: (json) => byType(asObject(json['thinking'])),
  converse: (json) => {
    const fields = asObject(json['additionalModelRequestFields']);
    const { thinking, budgetTokens } = byType(asObject(fields?.['thinking']));
    return { thinking: thinking ?? byEffort(fields?.['reasoning_effort']), budgetTokens };
  },
  google: ofGoogle,
};
