/**
 * How much more than o200k_base the tokenisers of other vendors make of the same text, and what they add by themselves,
 * as of 2026-11-21. Each is on the high side, and `recorded-counts.test.ts` holds their sum against what vendors
 * billed; README.md ("The estimate") has what was found for each. Of the rest:
 *
 * - instructions with Claude's tools: https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview
 * - what other vendors add for tools, all of them for schemas, and tools that they define: no source found
 */
import { readClaudeModel } from '../messages/models.ts';

export type ImageRule = 'anthropic' | 'openai' | 'openai-small' | 'gpt-4o-mini' | 'any' | 'typical';

export interface ModelRates {
  /** Tokens for one of o200k_base, in ASCII text and in any other. */
  readonly ascii: number;
  readonly foreign: number;
  /** Added for each digit: o200k_base takes three at a time, others one. */
  readonly digit: number;
  /** The vendor's own instructions that come with tools, and those with a schema for the answer. */
  readonly toolPrompt: number;
  readonly formatPrompt: number;
  /** The instructions of a tool that the vendor defines, which nobody outside sees. */
  readonly vendorTool: number;
  /** Whose rule for images holds. */
  readonly images: ImageRule;
}

const openai: ModelRates = {
  ascii: 1.02,
  foreign: 1.02,
  digit: 0,
  toolPrompt: 100,
  formatPrompt: 30,
  vendorTool: 1200,
  images: 'openai',
};

const olderClaude: ModelRates = {
  ascii: 1.2,
  foreign: 2,
  digit: 0,
  toolPrompt: 530,
  formatPrompt: 200,
  vendorTool: 2100,
  images: 'anthropic',
};

const newerClaude: ModelRates = { ...olderClaude, ascii: 1.6 };

const others: ModelRates = {
  ascii: 1.25,
  foreign: 1.6,
  digit: 0.67,
  toolPrompt: 100,
  formatPrompt: 30,
  vendorTool: 100,
  images: 'any',
};

/** The highest of each, for a model that nobody named. */
const anyModel: ModelRates = { ...newerClaude, digit: others.digit, images: 'any' };

/** Models with OpenAI's own encoding; those before gpt-4o had another. */
const openaiModel = /(?:^|[/.])(?:gpt-4o|gpt-4\.[15]|gpt-[5-9]|gpt-oss|chatgpt|codex|o[1-9](?:-|$))/;

export function ratesOf(model: string | undefined): ModelRates {
  if (model === undefined) return anyModel;
  if (openaiModel.test(model)) return { ...openai, images: openaiImages(model) };
  if (!model.includes('claude')) return others;
  return readClaudeModel(model).tokenizer === 'older' ? olderClaude : newerClaude;
}

/** As of 2026-11-22: what was measured of Claude, as README.md has it, and the least of all others; no source found. */
const typical: ModelRates = {
  ascii: 1,
  foreign: 1,
  digit: 0,
  toolPrompt: 20,
  formatPrompt: 10,
  vendorTool: 100,
  images: 'typical',
};

const typicalOlderClaude: ModelRates = { ...olderClaude, ascii: 1.1, foreign: 1.45, toolPrompt: 300 };
const typicalNewerClaude: ModelRates = { ...typicalOlderClaude, ascii: 1.45 };

/** For what is charged where an upstream gave no counts: in the middle of what was measured, where the others are above. */
export function typicalRatesOf(model: string): ModelRates {
  if (openaiModel.test(model)) return { ...typical, images: openaiImages(model) };
  if (!model.includes('claude')) return typical;
  return readClaudeModel(model).tokenizer === 'older' ? typicalOlderClaude : typicalNewerClaude;
}

function openaiImages(model: string): ImageRule {
  if (model.includes('gpt-4o-mini')) return 'gpt-4o-mini';
  return /-(?:mini|nano)\b/.test(model) ? 'openai-small' : 'openai';
}

/** Tokens of o200k_base as the model would count them. */
export function scaleTokens(tokens: number, text: string, rates: ModelRates): number {
  const bytes = Buffer.byteLength(text);
  if (bytes === 0) return 0;
  let asciiCharacters = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) asciiCharacters += 1;
    if (code >= 0x30 && code <= 0x39) digits += 1;
  }
  const foreign = (bytes - asciiCharacters) / bytes;
  return tokens * (rates.ascii * (1 - foreign) + rates.foreign * foreign) + digits * rates.digit;
}
