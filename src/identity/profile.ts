/** What a person says of themself: their name, their language, and whatever their client keeps with their account. */
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { checkFields, fieldError, nameField } from '../base/field-check.ts';
import type { PersonScope } from '../base/scope.ts';
import type { Executor } from '../storage/database.ts';
import { users } from '../storage/schema/identity.ts';
import type { Work } from '../storage/work.ts';
import { holdOneself } from './hold-person.ts';
import { aboutPerson, readUser, type User, userTopic } from './user.ts';

const profileFields = z.object({
  name: nameField.optional(),
  /** Of the portal's languages, which the portal knows. */
  language: z.string().max(10).optional(),
});

/**
 * Changes what is given and nothing else.
 * @throws AppError `validation_failed`; `not_found` for who is gone.
 */
export async function changeProfile(
  scope: PersonScope,
  work: Work,
  change: z.input<typeof profileFields>,
): Promise<void> {
  const { name, language } = checkFields(profileFields, change);
  const before = await holdOneself(scope, work.executor);
  const after = { name: name ?? before.name, language: language ?? before.language };
  if (after.name === before.name && after.language === before.language) return;
  await work.executor.update(users).set(after).where(eq(users.id, before.id));
  // A name is personal, so that the trail says only that it changed.
  const changed =
    after.language === before.language ? {} : { language: { from: before.language, to: after.language } };
  work.note(aboutPerson(before.id, 'account.profile_changed', changed));
  work.announce(userTopic, String(before.id));
}

export type DisplayName = Readonly<Record<string, unknown>>;

const mostBytes = 8192;
const mostLevels = 8;

/**
 * Keeps any object, in place of the one before. Its member `display_name`, where it is a name, is the person's name too.
 * @returns what is stored.
 * @throws AppError `validation_failed` for one that is too large or too deep, or holds what no database takes as text;
 *   `not_found` for who is gone.
 */
export async function saveDisplayName(
  scope: PersonScope,
  work: Work,
  given: DisplayName,
): Promise<DisplayName> {
  const problem = problemOf(given, mostLevels);
  if (problem !== undefined) throw refusal(problem);
  if (Buffer.byteLength(JSON.stringify(given)) > mostBytes) {
    throw refusal({ msg: `must have at most ${mostBytes} bytes as JSON`, type: 'too_large' });
  }
  const { id } = await holdOneself(scope, work.executor);
  const [row] = await work.executor
    .update(users)
    .set({ displayName: given })
    .where(eq(users.id, id))
    .returning({ stored: users.displayName });
  work.note(aboutPerson(id, 'account.profile_changed'));
  const { data: name } = nameField.safeParse(given['display_name']);
  if (name !== undefined) await changeProfile(scope, work, { name });
  return row?.stored ?? {};
}

/** All that is kept of a person beside what they own, but for secrets. */
export async function readProfile(
  { userId }: PersonScope,
  executor: Executor,
): Promise<(User & { readonly displayName: DisplayName }) | undefined> {
  const [row] = await executor.select().from(users).where(eq(users.id, userId));
  return row && { ...readUser(row), displayName: row.displayName };
}

interface Problem {
  readonly msg: string;
  readonly type: string;
}

/** Stops at the first, and at the depth that it allows, however deep the value is. */
function problemOf(value: unknown, levelsLeft: number): Problem | undefined {
  if (typeof value === 'string') return textProblemOf(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (levelsLeft === 0) return { msg: `must have at most ${mostLevels} levels`, type: 'too_deep' };
  for (const [name, member] of Object.entries(value)) {
    const problem = textProblemOf(name) ?? problemOf(member, levelsLeft - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** PostgreSQL's JSON takes neither NUL nor halves of a character. */
function textProblemOf(text: string): Problem | undefined {
  if (!text.includes('\0') && text.isWellFormed()) return undefined;
  return { msg: 'must have no NUL and only whole characters', type: 'not_text' };
}

const refusal = ({ msg, type }: Problem) => fieldError([{ loc: ['display_name'], msg, type }]);
