/** Thought signatures: opaque to clients, base64, and checked when they come back. */
import { isObject } from '../../json.ts';

/** What callers may send for a call that the model never made. */
const standIns = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];

/** Belongs to one call of a function, with its arguments. */
export function signatureOfCall(name: string, args: unknown): string {
  return sign(`call ${name} ${canonical(args)}`);
}

/** Belongs to what was said, as thought or as text, whatever it was. */
export function signatureOfText(): string {
  return sign('text');
}

export function isStandIn(signature: string): boolean {
  return standIns.includes(signature);
}

function sign(what: string): string {
  const seal = Bun.hash(`thoughts behind: ${what}`).toString(36);
  return Buffer.from(`double thought signature ${seal}`).toString('base64');
}

/** The same text for the same value, in whatever order its members came. */
function canonical(value: unknown): string {
  return JSON.stringify(value ?? {}, (_, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => a.localeCompare(b)))
      : member,
  );
}
