/** Citations as annotations of a text part. */
import { asCount, asFilledText, asObjects, asText, type JsonObject } from '../json/fields.ts';
import { type Citation, type CitedText, joinCitations } from '../turn/citations.ts';

/** Paths to files of the vendor's tools are passed over: nobody else can open them. */
export function readAnnotations(annotations: unknown): readonly Citation[] {
  return asObjects(annotations).flatMap((annotation) => readAnnotation(annotation) ?? []);
}

export function readAnnotation(annotation: JsonObject): Citation | undefined {
  if (annotation['type'] === 'url_citation') {
    const url = asFilledText(annotation['url']);
    if (url === undefined) return undefined;
    const start = asCount(annotation['start_index']) ?? 0;
    const end = asCount(annotation['end_index']) ?? 0;
    const span = end > start ? { start, end } : undefined;
    return { source: { kind: 'url', url, title: asFilledText(annotation['title']) }, span };
  }
  const fileId = asFilledText(annotation['file_id']);
  if (annotation['type'] !== 'file_citation' || fileId === undefined) return undefined;
  return { source: { kind: 'document', fileId, title: asText(annotation['filename']) } };
}

/** Perplexity lists what it found as an item of its own; words refer to it by number, and nothing else cites it. */
export function readSources(item: JsonObject): readonly Citation[] {
  if (item['type'] !== 'search_results') return [];
  return asObjects(item['results']).flatMap((result): Citation[] => {
    const url = asFilledText(result['url']);
    return url === undefined ? [] : [{ source: { kind: 'url', url, title: asFilledText(result['title']) } }];
  });
}

/** What a part cites. What it cites with no word in particular is of all of its text. */
export function writeAnnotations(part: CitedText): readonly JsonObject[] {
  return joinCitations([part]).map(writeAnnotation);
}

function writeAnnotation({ source, span = { start: 0, end: 0 } }: Citation): JsonObject {
  if (source.kind === 'url') {
    const { url, title = '' } = source;
    return { type: 'url_citation', start_index: span.start, end_index: span.end, title, url };
  }
  const { fileId, title = '', index = 0 } = source;
  return {
    type: 'file_citation',
    file_id: fileId ?? `document_${index}`,
    filename: title,
    index: span.end,
  };
}
