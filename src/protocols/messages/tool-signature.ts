/** Signatures of thinking as the messages protocol writes them: its own as they are, foreign ones with their origin. */
import { packSignature, type Signature, unpackSignature } from '../turn/signature.ts';

export const readThinkingSignature = (text: string): Signature => unpackSignature(text, 'anthropic');

export const writeThinkingSignature = (signature: Signature): string => packSignature(signature, 'anthropic');
