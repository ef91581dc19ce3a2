/** Signatures of Gemini, which stand on any part: a thought, text or a function call. */
import { asFilledText, type JsonObject } from '../json/fields.ts';
import { packSignature, type Signature, unpackSignature } from '../turn/signature.ts';

/** The vendor's word for a call that another model made, and that has no signature for that reason. */
export const foreignCall = 'skip_thought_signature_validator';

export function readThoughtSignature(part: JsonObject): Signature | undefined {
  const text = asFilledText(part['thoughtSignature']);
  return text === undefined || text === foreignCall ? undefined : unpackSignature(text, 'google');
}

/** Towards a client, which is to bring back also what others have signed. */
export function writeThoughtSignature(signature: Signature | undefined): string | undefined {
  return signature === undefined ? undefined : packSignature(signature, 'google');
}
