/** Citations of text, whole and streamed, which are of their whole block here. */
import { asCount, asFilledText, asObject, asObjects, type JsonObject } from '../json/fields.ts';
import type { Citation, CitedSource, DocumentPlace } from '../turn/citations.ts';

const units = { documentChar: 'char', documentPage: 'page', documentChunk: 'block' } as const;

/** @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CitationLocation.html (2026-11) */
export function readCitation(citation: JsonObject): Citation | undefined {
  const location = asObject(citation['location']) ?? {};
  const title = asFilledText(citation['title']);
  const source = asFilledText(citation['source']);
  const quote = asObjects(citation['sourceContent'])
    .map((part) => asFilledText(part['text']) ?? '')
    .join('');
  const told = quote === '' ? {} : { quote };
  const url = asFilledText(asObject(location['web'])?.['url']);
  if (url !== undefined) return { source: { kind: 'url', url, title }, ...told };
  const document = readDocument(location);
  if (document !== undefined) return { source: { ...document, title, fileId: source }, ...told };
  if (source !== undefined) return { source: { kind: 'url', url: source, title }, ...told };
  return title === undefined ? undefined : { source: { kind: 'document', title }, ...told };
}

function readDocument(location: JsonObject): Extract<CitedSource, { kind: 'document' }> | undefined {
  for (const [name, unit] of Object.entries(units)) {
    const place = asObject(location[name]);
    if (place === undefined) continue;
    return { kind: 'document', index: asCount(place['documentIndex']), place: readPlace(place, unit) };
  }
  return undefined;
}

function readPlace(place: JsonObject, unit: DocumentPlace['unit']): DocumentPlace | undefined {
  const start = asCount(place['start']);
  const end = asCount(place['end']);
  return start === undefined || end === undefined ? undefined : { unit, start, end };
}
