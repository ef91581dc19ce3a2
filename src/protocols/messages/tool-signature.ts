/**
 * A signature that belongs to a tool use. The protocol has no place for it, so it travels as redacted thinking in front
 * of the call, which clients send back as it came.
 */
import { packSignature, readOrigin, type Signature, unpackSignature } from '../turn/signature.ts';

const packed = /^sluice-tool:(\w+):([^:]*):/;

export interface ToolSignature {
  /** As the protocol writes ids, so without a colon. */
  readonly toolId: string;
  readonly signature: Signature;
}

export function packToolSignature({ toolId, signature }: ToolSignature): string {
  return `sluice-tool:${signature.origin}:${toolId}:${signature.value}`;
}

/** Null when the data is thinking. */
export function unpackToolSignature(data: string): ToolSignature | null {
  const match = packed.exec(data);
  const origin = readOrigin(match?.[1]);
  if (match === null || origin === null) return null;
  const value = data.slice(match[0].length);
  return { toolId: match[2] ?? '', signature: { origin, value } };
}

export const readThinkingSignature = (text: string): Signature => unpackSignature(text, 'anthropic');

export const writeThinkingSignature = (signature: Signature): string => packSignature(signature, 'anthropic');
