/** The members of a request's metadata that say its session: they are for this gateway alone, and hosts refuse them. */
import { asObject, type JsonObject } from './fields.ts';
import { editMembers, type MemberEdit } from './text.ts';

const routingMembers = ['session_id', 'sticky_key'] as const;
const withoutMembers: ReadonlyMap<string, MemberEdit> = new Map(routingMembers.map((name) => [name, null]));

/** @returns the metadata without them; undefined where nothing is left, or nothing was there. */
export function withoutRouting(metadata: unknown): JsonObject | undefined {
  const given = asObject(metadata);
  if (given === undefined) return undefined;
  const { session_id: _session, sticky_key: _sticky, ...others } = given;
  return Object.keys(others).length === 0 ? undefined : others;
}

/**
 * Adds to the edits of a request's text what takes them out, and the metadata with them where it has no others: hosts
 * that take none refuse an empty one too.
 */
export function leaveOutRouting(
  edits: Map<string, MemberEdit>,
  json: JsonObject,
  name: 'metadata' | 'labels' = 'metadata',
): void {
  const metadata = asObject(json[name]);
  if (metadata === undefined || !routingMembers.some((member) => member in metadata)) return;
  const isLeftOut = withoutRouting(metadata) === undefined;
  edits.set(name, isLeftOut ? null : (own) => editMembers(own, withoutMembers));
}
