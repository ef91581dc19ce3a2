/** A YAML text as a plain value, and the way back from a path in that value to a line and column. */
import { basename } from 'node:path';
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
} from 'yaml';
import type { Mistake, Position } from './mistake.ts';

export interface YamlSource {
  readonly value: unknown;
  readonly mistakes: readonly Mistake[];
  /** Where a path stands; where it does not exist, the nearest that does. */
  locate(path: readonly PropertyKey[]): Position;
}

export function readYaml(text: string, file: string): YamlSource {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const positionAt = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return { file: basename(file), line, column: col };
  };
  const mistakes: Mistake[] = document.errors.map(({ message, pos }) => ({
    where: '',
    position: positionAt(pos[0]),
    message: `not valid YAML: ${message}`,
  }));
  const locate = (path: readonly PropertyKey[]) => positionAt(findOffset(document, path));
  if (mistakes.length > 0) return { value: undefined, mistakes, locate };
  try {
    return { value: document.toJS(), mistakes, locate };
  } catch (error) {
    // References that lead nowhere, or that would unfold into far more than was written.
    const message = error instanceof Error ? error.message : String(error);
    return {
      value: undefined,
      mistakes: [{ where: '', position: positionAt(0), message: `not valid YAML: ${message}` }],
      locate,
    };
  }
}

/** A key's own place for an entry of a map, so that a mistake in its value points at the line that names it. */
function findOffset(document: Document, path: readonly PropertyKey[]): number {
  let offset = 0;
  let node: unknown = document.contents;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    let found: unknown;
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (isPair(pair) && isNode(pair.key)) offset = pair.key.range?.[0] ?? offset;
      found = pair?.value;
    } else if (isSeq(node) && typeof step === 'number') {
      found = node.items[step];
      if (isNode(found)) offset = found.range?.[0] ?? offset;
    }
    if (found === undefined) break;
    node = found;
  }
  return offset;
}
