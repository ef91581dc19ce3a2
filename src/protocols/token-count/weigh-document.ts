/** What a document costs: text as text, a PDF by its pages, anything else by its bytes. */
import type { Base64Source, DocumentBlock, ImageBlock, TextBlock } from '../turn/blocks.ts';
import { decodeText } from '../turn/media.ts';
import { countPdfPages } from './pdf-pages.ts';
import type { TurnWeight } from './turn-weight.ts';

/** A page full of text, which is read as text and as an image. */
const tokensPerPage = 3000;

/** Of a document that is elsewhere; it is not fetched. */
const unseenPages = 10;

/** Office files are text that was packed. */
const bytesPerToken = 3;

/** What vendors write around a document. */
const frameTokens = 48;

const textTypes = /^text\/|[/+](?:json|xml|yaml|csv)$/;

/** @param weighPart for what a document is made of, when it is made of blocks. */
export function weighDocument(
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

function weighFile({ mediaType, data }: Base64Source, weight: TurnWeight): void {
  if (textTypes.test(mediaType)) {
    weight.addText(decodeText(data));
    return;
  }
  const file = Buffer.from(data, 'base64');
  const isPdf = mediaType === 'application/pdf';
  weight.addTokens(isPdf ? countPdfPages(file) * tokensPerPage : Math.ceil(file.length / bytesPerToken));
}
