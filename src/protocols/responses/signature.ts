/**
 * `encrypted_content` of reasoning items: the signature of thinking. A foreign one is written with its origin in front.
 * The signature of a tool use has no place of its own and travels in a reasoning item before the call.
 */
import {
  packSignature,
  packToolSignature,
  type Signature,
  unpackSignature,
  unpackToolSignature,
} from '../turn/signature.ts';

export const writeEncrypted = (signature: Signature): string => packSignature(signature, 'openai');
export const readEncrypted = (text: string): Signature => unpackSignature(text, 'openai');

export function writeToolEncrypted(callId: string, signature: Signature): string {
  return packToolSignature({ toolId: keyOf(callId), signature });
}

/** Signatures of tool uses, from when they are read until their call is. */
export class ToolSignatures {
  readonly #byCall = new Map<string, Signature>();

  /** False when the text signs thinking. */
  take(encrypted: string): boolean {
    const ofTool = unpackToolSignature(encrypted);
    if (ofTool === null) return false;
    this.#byCall.set(ofTool.toolId, ofTool.signature);
    return true;
  }

  of(callId: string): Signature | undefined {
    return this.#byCall.get(keyOf(callId));
  }
}

/** A colon would end the id too early. */
const keyOf = (callId: string): string => callId.replaceAll(':', '_');
