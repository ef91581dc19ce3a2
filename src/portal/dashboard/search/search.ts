/** GET /dashboard/search: what ⌘K finds beside the pages, in what somebody looks at: keys, models, requests, people, organisations. */
import { z } from 'zod';
import { listOrganisations, searchKeys, searchPeople } from '../../../identity/index.ts';
import { readUsage } from '../../../usage/index.ts';
import { chooseModels } from '../../model-list/choose-models.ts';
import { findPayment } from '../../payment.ts';
import { type Asked, type Route, route } from '../../route.ts';
import { wayBelow } from '../../ui/navigation.ts';
import { addressOfOwnModel } from '../models/address.ts';
import { usableModels } from '../usable-models.ts';

/** Of each kind. */
const mostFound = 5;
const fewestCharacters = 2;

const searchQuery = z.object({
  q: z
    .string()
    .max(100)
    .default('')
    .describe('A part of a name or an address, or the whole id of a request; from two characters on'),
});

const foundShape = z.object({
  kind: z.enum(['key', 'model', 'request', 'person', 'organisation']),
  label: z.string(),
  detail: z.string(),
  href: z.string(),
  /** What is sent to `href` in place of opening it. */
  fields: z.record(z.string(), z.string()).optional(),
});
type Found = z.infer<typeof foundShape>;

export const searchRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/dashboard/search',
    summary: 'Find keys, models, a request, people and organisations in what somebody looks at',
    tag: 'Dashboard',
    access: 'member',
    answers: 'json',
    query: searchQuery,
    result: z.object({ found: z.array(foundShape) }),
    handle: search,
  }),
];

type AskedForSearch = Asked<'member', { query: typeof searchQuery }>;

async function search(asked: AskedForSearch): Promise<Response> {
  // A database takes no text with a zero in it.
  const text = asked.query.q.replaceAll('\0', '').trim();
  if (text.length < fewestCharacters) return asked.context.json({ found: [] });
  const groups = await Promise.all([
    findModels(asked, text),
    findKeys(asked, text),
    findRequest(asked, text),
    findPeople(asked, text),
    findOrganisations(asked, text),
  ]);
  return asked.context.json({ found: groups.flat() });
}

async function findModels({ services, session }: AskedForSearch, text: string): Promise<readonly Found[]> {
  const usable = usableModels(await findPayment(session.user, services), services.catalogue.current());
  const chosen = chooseModels(usable, { search: text, type: null, capability: null, sort: '' });
  return chosen.slice(0, mostFound).map(({ publicId, ownedBy }) => ({
    ...{ kind: 'model' as const, label: publicId, detail: ownedBy },
    href: addressOfOwnModel(publicId),
  }));
}

async function findKeys({ services, scope }: AskedForSearch, text: string): Promise<readonly Found[]> {
  const keys = await searchKeys(scope, services.storage.db, { text, limit: mostFound });
  return keys.map(({ id, name, ownerEmail, tokenPrefix, tokenLastFour }) => ({
    ...{ kind: 'key' as const, label: name },
    detail: scope.whose === 'person' ? `${tokenPrefix}…${tokenLastFour}` : ownerEmail,
    href: wayBelow('/dashboard/keys', id) ?? '/dashboard#keys',
  }));
}

async function findRequest({ services, scope }: AskedForSearch, text: string): Promise<readonly Found[]> {
  const requestId = z.uuid().safeParse(text.toLowerCase()).data;
  if (requestId === undefined) return [];
  const [request] = await readUsage(scope, services.storage.db, { requestId, limit: 1 });
  if (request === undefined) return [];
  const href = wayBelow('/dashboard/request-log', requestId) ?? '/dashboard#requests';
  return [{ kind: 'request', label: requestId, detail: request.model, href }];
}

async function findPeople({ services, scope }: AskedForSearch, text: string): Promise<readonly Found[]> {
  if (scope.whose === 'person') return [];
  const people = await searchPeople(scope, services.storage.db, { text, limit: mostFound });
  return people.flatMap(({ id, email, name }) => {
    const href = wayBelow('/dashboard/admin/users', id);
    return href === null ? [] : [{ kind: 'person' as const, label: email, detail: name, href }];
  });
}

async function findOrganisations({ services, scope, session }: AskedForSearch, text: string) {
  const reachesAll = session.user.role === 'platform_owner' || session.user.role === 'platform_admin';
  if (scope.whose === 'person' || !reachesAll) return [];
  const found = await listOrganisations({ whose: 'everybody' }, services.storage.db, {
    ...{ search: text, limit: mostFound },
  });
  return found.map(({ id, name, slug }) => ({
    ...{ kind: 'organisation' as const, label: name, detail: slug },
    ...{ href: '/dashboard/set-admin-org', fields: { org_id: String(id) } },
  }));
}
