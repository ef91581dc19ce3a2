/**
 * Signatures of thinking: opaque to us, and worth something only to the vendor that made them. A protocol that can
 * not say whose a signature is carries a foreign one with its origin written in front.
 */

export type SignatureOrigin = 'anthropic' | 'openai' | 'google';

export interface Signature {
  readonly origin: SignatureOrigin;
  readonly value: string;
}

const prefix = 'sluice:';
const packed = /^sluice:(anthropic|openai|google):/;

/** The signature as text for a protocol whose own signatures have the origin `own`. */
export function packSignature({ origin, value }: Signature, own: SignatureOrigin): string {
  return origin === own ? value : `${prefix}${origin}:${value}`;
}

/** The other way: what has no origin in front is the protocol's own. */
export function unpackSignature(text: string, own: SignatureOrigin): Signature {
  const match = packed.exec(text);
  if (match === null) return { origin: own, value: text };
  return { origin: readOrigin(match[1]) ?? own, value: text.slice(match[0].length) };
}

export function readOrigin(text: string | undefined): SignatureOrigin | null {
  return text === 'anthropic' || text === 'openai' || text === 'google' ? text : null;
}
