/** The links of the public site's header and footer, as data. A page joins with a row here and its name in the common words. */
import type { CommonWords } from '../languages/common/index.ts';

interface SiteLink {
  readonly href: string;
  readonly name: keyof CommonWords['site'];
}

interface SiteLinkGroup {
  readonly name: keyof CommonWords['site'];
  readonly links: readonly SiteLink[];
}

export const siteLinks: { readonly header: readonly SiteLink[]; readonly footer: readonly SiteLinkGroup[] } =
  {
    header: [],
    footer: [],
  };
