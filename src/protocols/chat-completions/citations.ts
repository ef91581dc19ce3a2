/** Citations in chat completions: OpenAI's annotations, and the lists of sources of hosts that search. */
import { asCount, asFilledText, asList, asObject, asObjects, type JsonObject } from '../json/fields.ts';
import type { AssistantBlock } from '../turn/blocks.ts';
import { type Citation, type CitedText, joinCitations } from '../turn/citations.ts';
import { textBreak } from './write-messages.ts';

/** Of a message or a delta. Hosts write the members beside the type or inside an object of its name. */
export function readAnnotations(annotations: unknown): readonly Citation[] {
  return asObjects(annotations).flatMap((annotation): Citation[] => {
    const told = asObject(annotation['url_citation']) ?? annotation;
    const url = asFilledText(told['url']);
    if (annotation['type'] !== 'url_citation' || url === undefined) return [];
    const start = asCount(told['start_index']) ?? 0;
    const end = asCount(told['end_index']) ?? 0;
    return [
      {
        source: { kind: 'url', url, title: asFilledText(told['title']) },
        span: end > start ? { start, end } : undefined,
        quote: asFilledText(told['content']),
      },
    ];
  });
}

/** Perplexity and xAI list what they searched beside the choices; words refer to it by number. */
export function readSources(answer: JsonObject): readonly Citation[] {
  const titles = new Map(
    asObjects(answer['search_results']).map((result) => [result['url'], asFilledText(result['title'])]),
  );
  return asList(answer['citations']).flatMap((entry): Citation[] => {
    const url = asFilledText(entry) ?? asFilledText(asObject(entry)?.['url']);
    return url === undefined ? [] : [{ source: { kind: 'url', url, title: titles.get(url) } }];
  });
}

/** The texts of an answer as they are joined, with what keeps them apart. */
export function saidTexts(content: readonly AssistantBlock[]): readonly CitedText[] {
  const texts: CitedText[] = [];
  let isApart = false;
  for (const block of content) {
    if (block.type === 'text')
      texts.push(...(isApart && texts.length > 0 ? [{ text: textBreak }] : []), block);
    isApart = block.type !== 'text';
  }
  return texts;
}

/** The protocol has pages alone; undefined where none is cited. */
export function writeAnnotations(texts: readonly CitedText[]): readonly JsonObject[] | undefined {
  const written = joinCitations(texts).flatMap(writeAnnotation);
  return written.length === 0 ? undefined : written;
}

/** None where it is no page. */
export function writeAnnotation({ source, span }: Citation): readonly JsonObject[] {
  if (source.kind !== 'url') return [];
  const { url, title = '' } = source;
  const { start = 0, end = 0 } = span ?? {};
  return [{ type: 'url_citation', url_citation: { start_index: start, end_index: end, title, url } }];
}
