/** What OpenAI's models take, by their ids, wherever they are served: the protocols stay, the models change. */
import { type Effort, efforts } from '../turn/request.ts';
import type { ChatDialect, MaxTokensField } from './dialect.ts';

interface OpenaiModel {
  /** Those it knows, weakest first. */
  readonly efforts: readonly [Effort, ...Effort[]];
  /** What it does unless it is asked for an effort. */
  readonly unasked: 'reasons' | 'rests';
}

/** Families that do not think, and refuse to be asked. */
const plainModels = /(^|[/.:])(gpt-[34]|chatgpt-)|gpt-[\d.]+-chat(-|$)/;

/** The only one of the newer chat models whose sampling can be set. */
const freeChat = /(^|[/.:])gpt-5-chat(-|$)/;

const thinkers = /(^|[/.:])o[1-9](-|$)/;
/** `gpt-5`, `gpt-5.1-codex-max`, `gpt-5.2-2025-12-11`: major, minor, kind. */
const newNames = /(?:^|[/.:])gpt-(\d+)(?:\.(\d+))?(?:-(chat|codex-max|codex|pro))?(?![a-z\d.])/;

const ordinary = ['low', 'medium', 'high'] as const;

export function isPlainModel(id: string): boolean {
  return plainModels.test(id);
}

/** The nearest effort that the model knows, the weaker one of two; as it was for models of other makers. */
export function fitEffort(id: string, effort: Effort): Effort {
  const model = readModel(id);
  if (model === null || model.efforts.includes(effort)) return effort;
  const wanted = efforts.indexOf(effort);
  const distance = (known: Effort) => Math.abs(efforts.indexOf(known) - wanted);
  return model.efforts.reduce((best, known) => (distance(known) < distance(best) ? known : best));
}

/** Whether temperature, top p and likely tokens can be asked for beside an effort that the model knows, or none. */
export function takesSampling(id: string, effort: Effort | undefined): boolean {
  const model = readModel(id);
  if (model === null) return true;
  return effort === undefined ? model.unasked === 'rests' : effort === 'none';
}

/** No model that can reason takes them, whether it does or not. */
export function takesPenalties(id: string): boolean {
  return readModel(id) === null;
}

/** Null for models that do not reason, and those of other makers. */
function readModel(id: string): OpenaiModel | null {
  if (thinkers.test(id)) return { efforts: ordinary, unasked: 'reasons' };
  const match = newNames.exec(id);
  const version = Number(match?.[1] ?? 0) * 100 + Number(match?.[2] ?? 0);
  if (match === null || version < 500 || freeChat.test(id)) return null;
  return readKind(match[3], version);
}

/** `version`: 502 for 5.2. */
function readKind(kind: string | undefined, version: number): OpenaiModel {
  const strong = version < 502 ? [] : version < 506 ? (['xhigh'] as const) : (['xhigh', 'max'] as const);
  switch (kind) {
    case 'chat':
      return { efforts: ['medium'], unasked: 'reasons' };
    case 'pro':
      return version < 502
        ? { efforts: ['high'], unasked: 'reasons' }
        : { efforts: ['medium', 'high', ...strong], unasked: 'reasons' };
    case 'codex-max':
      return { efforts: [...ordinary, 'xhigh'], unasked: 'reasons' };
    case 'codex':
      return { efforts: [...ordinary, ...strong], unasked: 'reasons' };
    default:
      if (version < 501) return { efforts: ['minimal', ...ordinary], unasked: 'reasons' };
      return { efforts: ['none', ...ordinary, ...strong], unasked: version < 505 ? 'rests' : 'reasons' };
  }
}

/** OpenAI's newer models refuse `max_tokens`, wherever they are served. */
const refusesMaxTokens = /(^|\/)(o[1-9]|gpt-([5-9]|\d\d))\b/;

/** The names that are understood; the first is to be written. */
export function maxTokensFields(modelId: string, dialect: ChatDialect): ChatDialect['maxTokensFields'] {
  return refusesMaxTokens.test(modelId) ? newerFields : dialect.maxTokensFields;
}

const newerFields: readonly [MaxTokensField] = ['max_completion_tokens'];
