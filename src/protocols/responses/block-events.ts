/** Blocks of a streamed answer, numbered in the order in which they begin. */
import type { TokenLogprob } from '../turn/answer.ts';
import type { BlockHead, DeltaEvent, TurnEvent } from '../turn/events.ts';
import type { Signature } from '../turn/signature.ts';

export class BlockEvents {
  /** Of what has begun: tool uses and refusals decide why an answer ended. */
  readonly said = { toolUse: false, refusal: false };
  #next = 0;

  open(head: BlockHead, events: TurnEvent[]): number {
    const block = this.#next;
    this.#next += 1;
    this.said.toolUse ||= head.kind === 'tool_use';
    this.said.refusal ||= head.kind === 'refusal';
    events.push({ type: 'open', choice: 0, block, head });
    return block;
  }

  tell(block: number, told: Told, events: TurnEvent[]): void {
    if (told.text !== '') events.push({ type: 'delta', choice: 0, block, ...told });
  }

  sign(block: number, signature: Signature, events: TurnEvent[]): void {
    events.push({ type: 'signature', choice: 0, block, signature });
  }

  close(block: number, events: TurnEvent[]): void {
    events.push({ type: 'close', choice: 0, block });
  }
}

export interface Told {
  readonly kind: DeltaEvent['kind'];
  readonly text: string;
  readonly logprobs?: readonly TokenLogprob[] | undefined;
}
