/**
 * Signatures of thinking: opaque to us, and worth something only to the vendor that made them. A protocol that can
 * not say whose a signature is carries a foreign one with its origin written in front.
 */

export type SignatureOrigin = 'anthropic' | 'openai' | 'google';

export interface Signature {
  readonly origin: SignatureOrigin;
  readonly value: string;
}

export const packedPrefix = 'sluice:';
const packed = /^sluice:(anthropic|openai|google):/;

/** The signature as text for a protocol whose own signatures have the origin `own`. */
export function packSignature({ origin, value }: Signature, own: SignatureOrigin): string {
  return origin === own ? value : `${packedPrefix}${origin}:${value}`;
}

/** The other way: what has no origin in front is the protocol's own. */
export function unpackSignature(text: string, own: SignatureOrigin): Signature {
  const match = packed.exec(text);
  if (match === null) return { origin: own, value: text };
  return { origin: readOrigin(match[1]) ?? own, value: text.slice(match[0].length) };
}

function readOrigin(text: string | undefined): SignatureOrigin | null {
  return text === 'anthropic' || text === 'openai' || text === 'google' ? text : null;
}

const packedTool = /^sluice-tool:(\w+):([^:]*):/;

/**
 * A signature that belongs to a tool use. Protocols without a place for it let it travel as redacted thinking in front
 * of the call, which clients send back as it came.
 */
export interface ToolSignature {
  /** Without a colon, which would end it too early. */
  readonly toolId: string;
  readonly signature: Signature;
}

export function packToolSignature({ toolId, signature }: ToolSignature): string {
  return `sluice-tool:${signature.origin}:${toolId}:${signature.value}`;
}

/** Null when the data is thinking. */
export function unpackToolSignature(data: string): ToolSignature | null {
  const match = packedTool.exec(data);
  const origin = readOrigin(match?.[1]);
  if (match === null || origin === null) return null;
  const value = data.slice(match[0].length);
  return { toolId: match[2] ?? '', signature: { origin, value } };
}
