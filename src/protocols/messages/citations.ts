/** Citations of a text block, which are always of the whole block here. */
import { asCount, asFilledText, asObjects, asText, type JsonObject } from '../json/fields.ts';
import type { Citation, DocumentPlace } from '../turn/citations.ts';
import { packedPrefix } from '../turn/signature.ts';

const units = { char_location: 'char', page_location: 'page', content_block_location: 'block' } as const;
const places = {
  char: ['char_location', 'start_char_index', 'end_char_index'],
  page: ['page_location', 'start_page_number', 'end_page_number'],
  block: ['content_block_location', 'start_block_index', 'end_block_index'],
} as const;

export function readCitations(citations: unknown): readonly Citation[] {
  return asObjects(citations).flatMap((citation) => readCitation(citation) ?? []);
}

export function readCitation(citation: JsonObject): Citation | undefined {
  const quote = asFilledText(citation['cited_text']);
  const { type } = citation;
  switch (type) {
    case 'web_search_result_location':
    case 'search_result_location': {
      const url = asFilledText(citation['url']) ?? asFilledText(citation['source']);
      if (url === undefined) return undefined;
      return { source: { kind: 'url', url, title: asFilledText(citation['title']) }, quote };
    }
    case 'char_location':
    case 'page_location':
    case 'content_block_location':
      return {
        source: {
          kind: 'document',
          title: asFilledText(citation['document_title']),
          index: asCount(citation['document_index']),
          fileId: asFilledText(citation['file_id']),
          place: readPlace(citation, units[type]),
        },
        quote,
      };
  }
  return undefined;
}

function readPlace(citation: JsonObject, unit: DocumentPlace['unit']): DocumentPlace | undefined {
  const [, first, behind] = places[unit];
  const start = asCount(citation[first]);
  const end = asCount(citation[behind]);
  return start === undefined || end === undefined ? undefined : { unit, start, end };
}

/** Stands where the vendor would seal what it found, or name its file: of an answer that was converted here. */
const madeUp = `${packedPrefix}citation`;

export function writeCitation({ source, quote = '' }: Citation): JsonObject {
  if (source.kind === 'url') {
    const { url, title = null } = source;
    return {
      type: 'web_search_result_location',
      url,
      title,
      encrypted_index: madeUp,
      cited_text: quote,
    };
  }
  const { title = null, index = 0, place = { unit: 'char', start: 0, end: 0 } } = source;
  const fileId = source.place === undefined ? `${madeUp}:${source.fileId ?? ''}` : (source.fileId ?? null);
  const [type, first, behind] = places[place.unit];
  return {
    type,
    document_index: index,
    document_title: title,
    file_id: fileId,
    [first]: place.start,
    [behind]: place.end,
    cited_text: quote,
  };
}

/** The upstream would refuse to have cited what it did not find. */
export function withoutMadeUp(block: JsonObject): JsonObject {
  const citations = asObjects(block['citations']);
  const isMadeUp = ({ encrypted_index, file_id }: JsonObject) =>
    asText(encrypted_index ?? file_id)?.startsWith(madeUp) === true;
  if (!citations.some(isMadeUp)) return block;
  const left = citations.filter((citation) => !isMadeUp(citation));
  const { citations: _citations, ...others } = block;
  return left.length === 0 ? others : { ...others, citations: left };
}
