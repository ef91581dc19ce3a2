/** Token counts for answers whose upstream gave none, or that ended before it could. */
import { noUsage, type TokenUsage } from '../base/token-usage.ts';
import { estimateTokens } from '../protocols/frames/generated-text.ts';
import type { InferenceRequest } from '../protocols/translator.ts';

/** What an image, a file or a sound is taken for, whatever its bytes: some thousand tokens. */
const mediaCharacters = 4000;
const mediaMembers: ReadonlySet<string> = new Set([
  'data',
  'url',
  'image_url',
  'file_data',
  'file_url',
  'file_id',
  'fileUri',
]);
/** What a model reads; the rest of a request steers it. */
const promptMembers = [
  ...['messages', 'system', 'tools', 'input', 'instructions'],
  ...['contents', 'systemInstruction'],
] as const;

/** Rows with estimated counts are marked as such. */
export function estimateUsage(request: InferenceRequest, generatedCharacters: number): TokenUsage {
  let characters = 0;
  for (const name of promptMembers) characters += countCharacters(request.json[name], name);
  return {
    ...noUsage,
    inputTokens: estimateTokens(characters),
    outputTokens: estimateTokens(generatedCharacters),
    estimated: true,
  };
}

function countCharacters(value: unknown, name: string): number {
  if (typeof value === 'string') return mediaMembers.has(name) ? mediaCharacters : value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let characters = 0;
  for (const [member, inner] of Object.entries(value)) {
    characters += countCharacters(inner, Array.isArray(value) ? name : member);
  }
  return characters;
}
