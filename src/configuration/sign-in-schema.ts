/** What the configuration file says of signing in: organisations, identity providers, and portals under other names. */
import { z } from 'zod';
import { dataLockForm } from '../base/data-policy.ts';
import { suggest } from './mistake.ts';

const name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}*$/u, 'expected one line');
const slug = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'expected up to 63 lower-case letters, digits and hyphens, none of them at an end',
  );
const host = z
  .string()
  .toLowerCase()
  .max(260)
  .regex(
    /^(?=.{1,253}(?::|$))[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::\d{1,5})?$/,
    'expected a host such as ai.example.com, with its port where it is not the usual one',
  );
const domain = z
  .string()
  .toLowerCase()
  .max(253)
  .regex(
    /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/,
    'expected the part of an address behind the @, such as example.com',
  );
/** Over plain http anybody between could be whoever they like; on this machine nobody is between. */
const providerAddress = z
  .url({ protocol: /^https?$/, error: 'expected an address such as https://login.example.com' })
  .regex(
    /^(?:https:|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$))[^?#@]*$/,
    'expected an https address without a user or a query; http is for this machine alone',
  );
const printable = z.string().regex(/^[!-~]{1,2000}$/, 'expected printable characters without spaces');

export const identityProviderKinds = ['google', 'github', 'oidc'] as const;

/** Words that stand in an address where a provider's name would, and the other ways in. */
const takenNames = [
  'accept-tos',
  'forgot-password',
  'link',
  'login',
  'passkey',
  'password',
  'register',
  'resend-verification',
  'reset-password',
  'sso',
];

const identityProvider = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,30}$/, 'expected lower-case letters, digits and hyphens, a letter first')
    .refine(
      (given) => !takenNames.includes(given),
      'is a word of the addresses of this service: take another',
    ),
  kind: z.enum(identityProviderKinds),
  label: name.optional(),
  client_id: printable,
  client_secret: printable,
  issuer: providerAddress.optional(),
  enforced_domains: z.array(domain).default([]),
  organisation: slug.optional(),
});

export const signInSections = {
  organisations: z
    .array(
      z.strictObject({
        slug,
        name,
        /** Left out, what is demanded stays as it is: no line that is lost opens a lock. */
        data_policy: dataLockForm.optional(),
        departments: z
          .array(z.strictObject({ name, data_policy: dataLockForm }))
          .max(1000)
          .default([]),
      }),
    )
    .default([]),
  identity_providers: z.array(identityProvider).default([]),
  portals: z
    .array(
      z.strictObject({
        host,
        name,
        accent: z
          .string()
          .regex(/^#[0-9a-f]{6}$/i, 'expected a colour such as "#7a3db8"')
          .optional(),
        logo: z.string().min(1).max(500).optional(),
        organisation: slug,
      }),
    )
    .default([]),
};

const sections = z.object(signInSections);
type SignInContent = z.output<typeof sections>;

export const signInStandIns = {
  'organisations.#': {},
  'organisations.#.slug': 'unread',
  'organisations.#.name': 'unread',
  'organisations.#.departments.#': {},
  'organisations.#.departments.#.name': 'unread',
  'organisations.#.departments.#.data_policy': {},
  'identity_providers.#': {},
  'identity_providers.#.name': 'unread',
  'identity_providers.#.kind': 'google',
  'identity_providers.#.client_id': 'unread',
  'identity_providers.#.client_secret': 'unread',
  'portals.#': {},
  'portals.#.host': 'unread',
  'portals.#.name': 'unread',
  'portals.#.organisation': 'unread',
};

/** Who shows who somebody is, as the portal works with it. */
export interface IdentityProvider {
  /** In addresses and in the database: another one is another provider, whose people are strangers. */
  readonly name: string;
  readonly kind: (typeof identityProviderKinds)[number];
  /** On the button. */
  readonly label: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Of GitHub where it stands, without a slash at the end. */
  readonly issuer: string;
  /** E-mail domains whose people sign in here and nowhere else; lower case. */
  readonly enforcedDomains: readonly string[];
  /** The slug of the organisation that new people belong to; null where the portal's host decides. */
  readonly organisation: string | null;
}

const usualIssuers = { google: 'https://accounts.google.com', github: 'https://github.com', oidc: '' };
const usualLabels = { google: 'Google', github: 'GitHub', oidc: null };

export const declareIdentityProviders = ({
  identity_providers,
}: Pick<SignInContent, 'identity_providers'>): readonly IdentityProvider[] =>
  identity_providers.map((given) => ({
    name: given.name,
    kind: given.kind,
    label: given.label ?? usualLabels[given.kind] ?? given.name,
    clientId: given.client_id,
    clientSecret: given.client_secret,
    // An issuer has to be equal to what the provider says of itself, with its slash; an address is built upon.
    issuer:
      given.kind === 'oidc'
        ? (given.issuer ?? '')
        : (given.issuer ?? usualIssuers[given.kind]).replace(/\/+$/, ''),
    enforcedDomains: given.enforced_domains,
    organisation: given.organisation ?? null,
  }));

/** What is wrong, and where from the top of the file. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export function checkSignIn(content: SignInContent): Problem[] {
  return [
    ...repeated(content.organisations, 'organisations', 'slug'),
    ...repeated(content.identity_providers, 'identity_providers', 'name'),
    ...repeated(content.portals, 'portals', 'host'),
    ...checkIssuers(content),
    ...checkDomains(content),
    ...checkOrganisations(content),
  ];
}

function repeated<Name extends string>(
  entries: readonly Readonly<Record<Name, string>>[],
  section: string,
  member: Name,
): Problem[] {
  const values = entries.map((entry) => entry[member]);
  return values.flatMap((value, at) =>
    values.indexOf(value) < at
      ? [{ path: [section, at, member], message: `another entry of ${section} has the same` }]
      : [],
  );
}

const checkIssuers = ({ identity_providers }: SignInContent): Problem[] =>
  identity_providers.flatMap(({ kind, issuer }, at) => {
    const path = ['identity_providers', at, 'issuer'];
    if (kind === 'oidc' && issuer === undefined) return [{ path, message: 'is missing' }];
    if (kind === 'google' && issuer !== undefined) {
      return [{ path, message: 'is known of google: leave it out, or write kind: oidc' }];
    }
    return [];
  });

/** Of two providers that claim a domain nobody could say which one its people have to use. */
function checkDomains({ identity_providers }: SignInContent): Problem[] {
  const owners = new Map<string, string>();
  return identity_providers.flatMap((provider, at) =>
    provider.enforced_domains.flatMap((claimed, index) => {
      const owner = owners.get(claimed);
      owners.set(claimed, owner ?? provider.name);
      if (owner === undefined) return [];
      const path = ['identity_providers', at, 'enforced_domains', index];
      return [{ path, message: `${claimed} belongs to ${owner} already` }];
    }),
  );
}

function checkOrganisations({ organisations, identity_providers, portals }: SignInContent): Problem[] {
  const slugs = new Set(organisations.map((organisation) => organisation.slug));
  const check = (section: string, entries: readonly { organisation?: string | undefined }[]) =>
    entries.flatMap(({ organisation }, at) =>
      organisation === undefined || slugs.has(organisation)
        ? []
        : [
            {
              path: [section, at, 'organisation'],
              message: `this file declares no organisation "${organisation}"${suggest(organisation, slugs)}`,
            },
          ],
    );
  return [...check('identity_providers', identity_providers), ...check('portals', portals)];
}
