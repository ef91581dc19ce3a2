/** Ids for calls of upstreams that give none: clients need one to answer to. */
import { randomUUID } from 'node:crypto';

/** Some upstreams refuse longer ones when the conversation moves to them. */
const maxLength = 40;

export interface CallPlace {
  /** Empty when the upstream gives none. */
  readonly answerId: string;
  readonly choice: number;
  /** Among the calls of the choice. */
  readonly at: number;
}

/** No two calls of a conversation share one, whichever answers they stand in. */
export function makeCallId({ answerId, choice, at }: CallPlace): string {
  const owner = answerId === '' ? randomUUID().replaceAll('-', '') : answerId;
  const place = `_${choice}_${at}`;
  return `call_${owner.slice(-(maxLength - 'call_'.length - place.length))}${place}`;
}
