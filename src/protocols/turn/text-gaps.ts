/** What keeps texts of an answer apart between which its vendor ran a tool. */
import type { AssistantBlock } from './blocks.ts';
import { shiftCitation } from './citations.ts';

const gap = '\n\n';

/**
 * The form has no place for the trace of such a tool, and texts that then are neighbours are one for most clients: the
 * later one begins with an empty line. Neighbours with nothing between them stay as they are, since Claude begins another
 * block in the middle of a sentence where it cites.
 */
export class TextGaps {
  /** The text that is the last that was said; null where the last is no text. */
  #last: number | null = null;
  #isApart = false;
  #wholeTexts = 0;

  /** For a trace that nobody else can make use of. */
  passOver(): void {
    this.#isApart = this.#last !== null;
  }

  /** For a block of another kind, which keeps texts apart by itself. */
  interrupt(): void {
    this.#last = null;
    this.#isApart = false;
  }

  /** @param block whose text goes on, or begins behind what this returns. */
  before(block: number): string {
    if (block === this.#last) return '';
    const before = this.#isApart ? gap : '';
    this.#last = block;
    this.#isApart = false;
    return before;
  }

  /** The next block of a whole answer. */
  keepApart(block: AssistantBlock): AssistantBlock {
    if (block.type !== 'text') {
      this.interrupt();
      return block;
    }
    this.#wholeTexts += 1;
    const before = this.before(this.#wholeTexts);
    if (before === '') return block;
    const citations = block.citations?.map((citation) => shiftCitation(citation, before.length));
    const text = before + block.text;
    return citations === undefined ? { ...block, text } : { ...block, text, citations };
  }
}
