/** What Gemini models take, by their ids: the protocol has changed with the models. */
import type { Effort } from '../turn/request.ts';

export interface GeminiModel {
  /** `none`: refuses to be told how much to think. Budgets are understood by the newer models too. */
  readonly thinking: 'level' | 'budget' | 'none';
  readonly levels: readonly ThinkingLevel[];
  readonly budget: { readonly least: number; readonly most: number; readonly canBeOff: boolean };
  /** Takes presence and frequency penalties. */
  readonly penalties: boolean;
  /** Refuses a first function call of a step that does not have its signature. */
  readonly demandsSignatures: boolean;
  /** Takes images and documents inside the response of a function. */
  readonly mediaInResponses: boolean;
}

export type ThinkingLevel = Extract<Effort, 'minimal' | 'low' | 'medium' | 'high'>;

/** `gemini-2.5-flash-lite`, `models/gemini-3.1-pro-preview`, `gemini-3-flash-preview-11-2025`. */
const names = /gemini-(?:(\d{1,2})(?:\.(\d{1,2}))?-)?(pro|flash-lite|flash)/;
/** Models that paint or speak cannot be told how to think. */
const artists = /-(?:image|tts)(?:-|$)/;

/** An alias without a version stands for a model of the day, so for a new one. */
export function readGeminiModel(id: string): GeminiModel {
  const match = names.exec(id);
  const version = Number(match?.[1] ?? 0) * 100 + Number(match?.[2] ?? 0);
  const kind = match?.[3] ?? '';
  const isAlias = version === 0 && kind !== '';
  const isNew = version >= 300 || isAlias;
  return {
    thinking: artists.test(id) ? 'none' : thinkingOf(version, isAlias),
    levels: levelsOf(version, kind),
    budget: budgetOf(kind),
    penalties: version > 0 && version < 205,
    demandsSignatures: isNew,
    mediaInResponses: isNew,
  };
}

function thinkingOf(version: number, isAlias: boolean): GeminiModel['thinking'] {
  if (version >= 300) return 'level';
  return version >= 205 || isAlias ? 'budget' : 'none';
}

/** The first models had fewer, and from 3.7 on only the smallest of them goes down to the lowest. */
function levelsOf(version: number, kind: string): readonly ThinkingLevel[] {
  if (kind === 'pro') return version === 300 ? ['low', 'high'] : ['low', 'medium', 'high'];
  const hasMinimal = kind === 'flash-lite' || (kind === 'flash' && version <= 306);
  return hasMinimal ? ['minimal', 'low', 'medium', 'high'] : ['low', 'medium', 'high'];
}

function budgetOf(kind: string): GeminiModel['budget'] {
  if (kind === 'pro') return { least: 128, most: 32_768, canBeOff: false };
  return { least: kind === 'flash-lite' ? 512 : 1, most: 24_576, canBeOff: true };
}

/** `models/gemini-2.5-flash`; what names its collection itself, as tuned models do, stays as it is. */
export function modelName(model: string): string {
  return model.includes('/') ? model : `models/${model}`;
}
