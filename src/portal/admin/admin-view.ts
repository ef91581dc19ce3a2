/** What an admin looks at: their own things or those of their scope, and which organisation. It narrows and never widens. */
import { z } from 'zod';
import { AppError } from '../../base/errors.ts';
import {
  findOrganisation,
  findOrganisationIdBySlug,
  setAdminView,
  transact,
  widestScope,
} from '../../identity/index.ts';
import { done } from '../done.ts';
import { readSwitch } from '../form-readers.ts';
import { pathHere } from '../path-here.ts';
import { type Asked, idField, type Route, route } from '../route.ts';

const tag = 'Administration';
const overview = '/dashboard';
const nextField = z
  .string()
  .max(2000)
  .optional()
  .describe('The page of this portal that a form goes on to; the overview when not given');
const toggleBody = z.object({
  next: nextField,
  admin_mode: z
    .preprocess(readSwitch, z.boolean().optional())
    .describe('What is looked at from then on; the other of both when not given'),
});
const filterBody = z.object({
  next: nextField,
  /** Empty, or left out, is everything that the role may see. */
  org_id: z.preprocess((given) => (given === '' ? null : given), idField.nullable().optional()),
  domain: z
    .string()
    .trim()
    .toLowerCase()
    .max(100)
    .regex(/^\P{Cc}*$/u)
    .optional()
    .describe('The slug, as older clients send it'),
});
const filterResult = z.object({ org_id: z.int().nullable() });
type AskedForFilter = Asked<'department_admin', { body: typeof filterBody }>;

const filter = {
  method: 'POST',
  tag,
  access: 'department_admin',
  answers: 'action',
  body: filterBody,
  result: filterResult,
  refusals: { 404: 'There is no such organisation in what the role may see' },
  handle: setOrganisation,
} as const;

export const adminViewRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/dashboard/toggle-admin-mode',
    summary: 'Look at all that the role may see, or at one’s own things',
    tag,
    access: 'department_admin',
    answers: 'action',
    body: toggleBody,
    result: z.object({ admin_mode: z.boolean() }),
    handle: toggleMode,
  }),
  route({ ...filter, path: '/dashboard/set-admin-org', summary: 'Look at one organisation' }),
  route({ ...filter, path: '/dashboard/set-admin-domain', summary: 'The same under its older name' }),
];

async function toggleMode({
  context,
  services,
  session,
  body,
}: Asked<'department_admin', { body: typeof toggleBody }>): Promise<Response> {
  // A form says which, so that pressing it twice, or in a page that is older, does what it says.
  const adminMode = body.admin_mode ?? !session.view.adminMode;
  await transact(services, (work) => setAdminView(work, session.id, { ...session.view, adminMode }));
  return done(context, { to: pathHere(body.next, overview), result: { admin_mode: adminMode } });
}

async function setOrganisation({ context, services, session, body }: AskedForFilter): Promise<Response> {
  const organisationId = await chosenOrganisation(body, services.storage.db, widestScope(session.user));
  await transact(services, (work) => setAdminView(work, session.id, { ...session.view, organisationId }));
  return done(context, { to: pathHere(body.next, overview), result: { org_id: organisationId } });
}

/** @throws AppError `not_found`, also for one that the role does not reach. */
async function chosenOrganisation(
  { org_id, domain }: z.output<typeof filterBody>,
  db: AskedForFilter['services']['storage']['db'],
  scope: AskedForFilter['scope'],
): Promise<number | null> {
  const isAll = (org_id ?? null) === null && (domain ?? '') === '';
  if (isAll) return null;
  const id = org_id ?? (await findOrganisationIdBySlug(db, domain ?? ''));
  const found = id === undefined ? undefined : await findOrganisation(scope, db, id);
  if (found === undefined) {
    throw new AppError({ code: 'not_found', public: 'There is no such organisation.' });
  }
  return found.id;
}
