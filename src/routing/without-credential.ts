/** An upstream's words, with nothing in them that is our secret or names our account with it. */
import { isJsonObject, tryParseJson } from '../protocols/json/fields.ts';
import { mostComplaintCharacters, type UpstreamComplaint } from '../protocols/translator.ts';

/** What is shorter is no secret, and taking it out would leave holes in words. */
const shortestSecret = 6;

export function withoutCredential(
  complaint: UpstreamComplaint | null,
  secret: string | null,
): UpstreamComplaint | null {
  if (complaint === null) return null;
  let { message } = complaint;
  // From all of it, since a secret that is cut in two would not be found any more.
  for (const part of partsOf(secret)) message = message.replaceAll(part, '[removed]');
  return { ...complaint, message: withoutSecrets(withinWords(message)) };
}

/** What the cut leaves of a key may be what no pattern knows any more, so that the last run of its letters goes too. */
function withinWords(text: string): string {
  if (text.length <= mostComplaintCharacters) return text;
  let end = mostComplaintCharacters;
  while (end > 0 && isPlainCharacter(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** What keys and addresses are made of: ASCII without its spaces. */
const isPlainCharacter = (code: number): boolean => code > 0x20 && code < 0x7f;

/** Some credentials are several in one text: tokens and an account as JSON, or an id and a secret with a colon. */
function partsOf(secret: string | null): readonly string[] {
  if (secret === null || secret === '') return [];
  const value = tryParseJson(secret);
  const texts = isJsonObject(value) ? Object.values(value).filter((part) => typeof part === 'string') : [];
  return [secret, ...texts, ...secret.split(':')].filter((part) => part.length >= shortestSecret);
}

const secretPatterns: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsk|xai|org|proj|acct)[-_][A-Za-z0-9*_-]{6,}/gi,
  /\bAIza[A-Za-z0-9*_-]{8,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  /\barn:aws[\w-]*:\S+/g,
  /\bBearer\s+\S+/gi,
  /\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/g,
  /\b[A-Za-z0-9+/_-]{32,}={0,2}/g,
  /\bhttps?:\/\/\S+/gi,
  /(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.]+/g,
];

/** An upstream's words with everything taken out that could name our credentials or our account with it. */
function withoutSecrets(text: string): string {
  return secretPatterns.reduce((cleaned, pattern) => cleaned.replace(pattern, '[removed]'), text);
}
