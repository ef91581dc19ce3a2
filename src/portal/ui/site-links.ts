/** The links of the public site's header and footer, as data. A page joins with a row here and its name in the common words. */
import type { InterfaceWords } from '../languages/interface/index.ts';

interface SiteLink {
  readonly href: string;
  readonly name: keyof InterfaceWords['site'];
}

interface SiteLinkGroup {
  readonly name: keyof InterfaceWords['site'];
  readonly links: readonly SiteLink[];
}

export const siteLinks: { readonly header: readonly SiteLink[]; readonly footer: readonly SiteLinkGroup[] } =
  {
    header: [
      { href: '/models-public', name: 'models' },
      { href: '/pricing', name: 'pricing' },
      { href: '/developers', name: 'developers' },
      { href: '/security', name: 'security' },
    ],
    footer: [
      {
        name: 'product',
        links: [
          { href: '/features', name: 'features' },
          { href: '/models-public', name: 'models' },
          { href: '/pricing', name: 'pricing' },
        ],
      },
      {
        name: 'developers',
        links: [
          { href: '/developers', name: 'firstRequest' },
          { href: '/guide', name: 'guide' },
          { href: '/api-docs', name: 'apiReference' },
        ],
      },
      {
        name: 'company',
        links: [
          { href: '/security', name: 'security' },
          { href: '/controls', name: 'controls' },
          { href: '/certifications', name: 'certifications' },
        ],
      },
      {
        name: 'legal',
        links: [
          { href: '/legal/terms', name: 'terms' },
          { href: '/legal/aup', name: 'aup' },
          { href: '/legal/privacy', name: 'privacy' },
          { href: '/legal/cookies', name: 'cookies' },
          { href: '/legal/dpa', name: 'dpa' },
          { href: '/legal/refund', name: 'refund' },
          { href: '/legal/billing', name: 'billing' },
          { href: '/legal/security', name: 'securityText' },
        ],
      },
    ],
  };
