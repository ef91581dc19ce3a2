/** Citations of a candidate: what grounded it, whose segments are counted in bytes of its whole text. */
import { asCount, asFilledText, asList, asObject, asObjects, type JsonObject } from '../json/fields.ts';
import { type Citation, type CitedText, joinCitations, type Span, TextBytes } from '../turn/citations.ts';

/** @param text of the block that the candidate's metadata is about. */
export function readCitations(candidate: JsonObject, text: string): readonly Citation[] {
  const grounding = asObject(candidate['groundingMetadata']);
  const sources = asObjects(asObject(candidate['citationMetadata'])?.['citationSources']);
  if (grounding === undefined && sources.length === 0) return [];
  const bytes = new TextBytes(text);
  const spanOf = (segment: JsonObject | undefined): Span | undefined => {
    const start = bytes.codePointAt(asCount(segment?.['startIndex']) ?? 0);
    const end = bytes.codePointAt(asCount(segment?.['endIndex']) ?? 0);
    return end > start ? { start, end } : undefined;
  };
  const recited = sources.flatMap((source): Citation[] => {
    const url = asFilledText(source['uri']);
    if (url === undefined) return [];
    return [{ source: { kind: 'url', url, title: asFilledText(source['title']) }, span: spanOf(source) }];
  });
  return [...readGrounding(grounding ?? {}, spanOf), ...recited];
}

function readGrounding(
  grounding: JsonObject,
  spanOf: (segment: JsonObject | undefined) => Span | undefined,
): readonly Citation[] {
  const chunks = asList(grounding['groundingChunks']).map((chunk) => readChunk(asObject(chunk) ?? {}));
  const used = new Set<number>();
  const cited = asObjects(grounding['groundingSupports']).flatMap((support) =>
    asList(support['groundingChunkIndices']).flatMap((index): Citation[] => {
      const chunk = chunks[Number(index)];
      if (chunk === undefined) return [];
      used.add(Number(index));
      return [{ ...chunk, span: spanOf(asObject(support['segment'])) }];
    }),
  );
  // What was found and supports nothing in particular is a source of all of it.
  return [...cited, ...chunks.flatMap((chunk, at) => (chunk === undefined || used.has(at) ? [] : [chunk]))];
}

function readChunk(chunk: JsonObject): Citation | undefined {
  const found = asObject(chunk['web']) ?? asObject(chunk['maps']);
  const url = asFilledText(found?.['uri']);
  if (url !== undefined) return { source: { kind: 'url', url, title: asFilledText(found?.['title']) } };
  const document = asObject(chunk['retrievedContext']);
  if (document === undefined) return undefined;
  const title = asFilledText(document['title']);
  const fileId = asFilledText(document['uri']);
  return { source: { kind: 'document', title, fileId }, quote: asFilledText(document['text']) };
}

interface Support {
  readonly segment: { readonly startIndex: number; readonly endIndex: number; readonly text: string };
  readonly groundingChunkIndices: number[];
}

/** Undefined where nothing is cited. Each source is told once, however often it is cited. */
export function writeGrounding(texts: readonly CitedText[]): JsonObject | undefined {
  const citations = joinCitations(texts);
  if (citations.length === 0) return undefined;
  const text = texts.map((each) => each.text).join('');
  const bytes = new TextBytes(text);
  const characters = [...text];
  const chunks = new Map<string, number>();
  const supports: Support[] = [];
  let last: Span | undefined;
  /** The chunks of the last support. */
  const inLast = new Set<number>();
  for (const { source, span = { start: 0, end: 0 }, quote } of citations) {
    const chunk = JSON.stringify(
      source.kind === 'url'
        ? { web: { uri: source.url, title: source.title } }
        : { retrievedContext: { uri: source.fileId, title: source.title, text: quote } },
    );
    const index = chunks.get(chunk) ?? chunks.size;
    chunks.set(chunk, index);
    const { start, end } = span;
    // Hosts that name their sources in a list name all of them for all of the text, which is told once for them.
    if (last?.start === start && last.end === end) {
      if (!inLast.has(index)) supports.at(-1)?.groundingChunkIndices.push(index);
      inLast.add(index);
      continue;
    }
    last = span;
    inLast.clear();
    inLast.add(index);
    supports.push({
      segment: {
        startIndex: bytes.byteAt(start),
        endIndex: bytes.byteAt(end),
        text: characters.slice(start, end).join(''),
      },
      groundingChunkIndices: [index],
    });
  }
  return {
    groundingChunks: [...chunks.keys()].map((chunk) => JSON.parse(chunk)),
    groundingSupports: supports,
  };
}
