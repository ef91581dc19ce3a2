/** What each kind of block costs. */
import type { AssistantBlock, UserBlock } from '../turn/blocks.ts';
import type { Signature } from '../turn/signature.ts';
import { audioTokens } from './audio-tokens.ts';
import { imageTokens } from './image-tokens.ts';
import type { TurnWeight } from './turn-weight.ts';
import { weighDocument } from './weigh-document.ts';

/** What vendors write around a block. */
const blockTokens = 2;
const toolUseTokens = 32;
const toolResultTokens = 16;

/** Of a signature, which is base64: as many as the text that it hides is likely to have. */
const signatureCharactersPerToken = 4;

export function weighBlock(block: UserBlock | AssistantBlock, weight: TurnWeight): void {
  weight.addTokens(blockTokens);
  switch (block.type) {
    case 'text':
    case 'refusal':
      weight.addText(block.text);
      break;
    case 'thinking':
      weight.addText(block.text);
      // The text may be no more than a summary of what the signature holds.
      weight.addTokens(signatureTokens(block.signature, block.text.length));
      break;
    case 'redacted_thinking':
      weight.addTokens(signatureTokens(block.signature, 0));
      break;
    case 'tool_use':
      weight.addTokens(toolUseTokens + signatureTokens(block.signature, 0));
      weight.addText(block.name);
      weight.addText(block.input);
      break;
    case 'tool_result':
      weight.addTokens(toolResultTokens);
      for (const part of block.content) weighBlock(part, weight);
      break;
    case 'image':
      weight.addTokens(imageTokens(block, weight.rates.images));
      break;
    case 'document':
      weighDocument(block, weight, weighBlock);
      break;
    case 'audio':
      weight.addTokens(audioTokens(block));
      break;
  }
}

function signatureTokens(signature: Signature | undefined, shownCharacters: number): number {
  const hidden = (signature?.value.length ?? 0) - shownCharacters;
  return Math.max(0, Math.ceil(hidden / signatureCharactersPerToken));
}
