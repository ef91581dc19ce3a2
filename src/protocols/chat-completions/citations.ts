/** Citations in chat completions: OpenAI's annotations, and the lists of sources of hosts that search. */
import { asCount, asFilledText, asList, asObject, asObjects, type JsonObject } from '../json/fields.ts';
import type { AssistantBlock } from '../turn/blocks.ts';
import {
  type Citation,
  type CitedText,
  countCodePoints,
  joinCitations,
  shiftCitation,
} from '../turn/citations.ts';
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
function writeAnnotation({ source, span }: Citation): readonly JsonObject[] {
  if (source.kind !== 'url') return [];
  const { url, title = '' } = source;
  const { start = 0, end = 0 } = span ?? {};
  return [{ type: 'url_citation', url_citation: { start_index: start, end_index: end, title, url } }];
}

interface SaidText {
  readonly start: number;
  length: number;
  /** Which may be half a code point. */
  lastUnit: string;
}

/**
 * What a choice of a stream says and cites, in code points of all of it. Its annotations are told at once with its end:
 * some protocols tell what a text rests on before the text, and of several lists the official client for Node keeps the
 * last alone, while the one for Python would join those of one index.
 */
export class SaidAndCited {
  readonly #texts = new Map<number, SaidText>();
  readonly #cited: { readonly block: number; readonly citation: Citation }[] = [];
  #length = 0;

  /** @param before what keeps it apart from the text before it. */
  say(block: number, text: string, before: string): void {
    this.#length += before.length;
    let said = this.#texts.get(block);
    if (said === undefined) {
      said = { start: this.#length, length: 0, lastUnit: '' };
      this.#texts.set(block, said);
    }
    // The two halves of one code point can come in two pieces.
    const length = countCodePoints(said.lastUnit + text) - said.lastUnit.length;
    said.length += length;
    said.lastUnit = text.slice(-1) || said.lastUnit;
    this.#length += length;
  }

  cite(block: number, citation: Citation): void {
    this.#cited.push({ block, citation });
  }

  /** None of a block that said nothing. */
  write(): readonly JsonObject[] {
    return this.#cited.flatMap(({ block, citation }) => {
      const said = this.#texts.get(block);
      if (said === undefined) return [];
      const span = citation.span ?? { start: 0, end: said.length };
      return writeAnnotation(shiftCitation({ ...citation, span }, said.start));
    });
  }
}
