/** An upstream's words with everything taken out that could name our credentials or our account with it. */

const patterns: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsk|xai|org|proj|acct)[-_][A-Za-z0-9*_-]{6,}/gi,
  /\bAIza[A-Za-z0-9*_-]{8,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  /\barn:aws[\w-]*:\S+/g,
  /\bBearer\s+\S+/gi,
  /\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/g,
  /\b[A-Za-z0-9+/_-]{32,}={0,2}/g,
  /\bhttps?:\/\/\S+/gi,
  /[\w.+-]+@[\w-]+\.[\w.]+/g,
];

export function withoutSecrets(text: string): string {
  return patterns.reduce((cleaned, pattern) => cleaned.replace(pattern, '[removed]'), text);
}
