/** What each kind of block costs: text as text, a PDF by its pages, other files by their bytes. */
import type {
  AssistantBlock,
  Base64Source,
  DocumentBlock,
  ImageBlock,
  TextBlock,
  UserBlock,
} from '../turn/blocks.ts';
import type { Signature } from '../turn/signature.ts';
import { headerCharacters, imageTokens, tokensPerPage } from './file-tokens.ts';
import type { TurnWeight } from './turn-weight.ts';

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
      weighImage(block, weight);
      break;
    case 'document':
      weighDocument(block, weight, weighBlock);
      break;
    case 'audio':
      weight.addFile({ kind: 'audio', data: block.source.data });
      break;
  }
}

function signatureTokens(signature: Signature | undefined, shownCharacters: number): number {
  const hidden = (signature?.value.length ?? 0) - shownCharacters;
  return Math.max(0, Math.ceil(hidden / signatureCharactersPerToken));
}

/** Of a document that is elsewhere; it is not fetched. */
const unseenPages = 10;

/** Office files are text that was packed. */
const bytesPerToken = 3;

/** What vendors write around a document. */
const frameTokens = 48;

const textTypes = /^text\/|[/+](?:json|xml|yaml|csv)$/;

/** @param weighPart for what a document is made of, when it is made of blocks. */
function weighDocument(
  { source, title, context }: DocumentBlock,
  weight: TurnWeight,
  weighPart: (part: TextBlock | ImageBlock, weight: TurnWeight) => void,
): void {
  weight.addTokens(frameTokens);
  weight.addText(title);
  weight.addText(context);
  switch (source.kind) {
    case 'text':
      weight.addText(source.text);
      break;
    case 'content':
      for (const part of source.content) weighPart(part, weight);
      break;
    case 'base64':
      weighFile(source, weight);
      break;
    case 'url':
    case 'file':
      weight.addTokens(unseenPages * tokensPerPage);
      break;
  }
}

function weighImage(block: ImageBlock, weight: TurnWeight): void {
  const { source, detail } = block;
  // Some upstreams are sent whatever it is by its own type.
  if (source.kind === 'base64' && !/^image\//i.test(source.mediaType)) weighFile(source, weight);
  else if (source.kind === 'base64') {
    weight.addFile({ kind: 'image', data: source.data.slice(0, headerCharacters), detail });
  } else weight.addTokens(imageTokens(block, weight.rates.images));
}

function weighFile({ mediaType, data }: Base64Source, weight: TurnWeight): void {
  if (textTypes.test(mediaType)) weight.addFile({ kind: 'text file', data });
  else if (mediaType === 'application/pdf') weight.addFile({ kind: 'pdf', data });
  else weight.addTokens(Math.ceil(Buffer.byteLength(data, 'base64') / bytesPerToken));
}
