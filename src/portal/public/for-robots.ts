/** /robots.txt and /sitemap.xml: which pages search engines may read, and where they are. */

import { addressOfModel, offeredModels } from '../model-list/choose-models.ts';
import { type Route, route } from '../route.ts';
import { visitOf } from '../visit.ts';

const tag = 'Public pages';

/** What a sitemap may list at most, by its own rules. */
const mostAddresses = 50_000;

/** @param publicPaths of the pages that anybody may open. */
export const robotRoutes = (publicPaths: readonly string[]): readonly Route[] => [
  route({
    method: 'GET',
    path: '/robots.txt',
    summary: 'What robots may read',
    tag,
    access: 'anyone',
    answers: 'file',
    handle({ context }) {
      const kept = ['/dashboard', '/api/', '/auth/', '/v1/', '/v1beta/'];
      const lines = ['User-agent: *', ...kept.map((path) => `Disallow: ${path}`)];
      return context.text([...lines, '', `Sitemap: ${visitOf(context).address}/sitemap.xml`, ''].join('\n'));
    },
  }),
  route({
    method: 'GET',
    path: '/sitemap.xml',
    summary: 'The public pages, for search engines',
    tag,
    access: 'anyone',
    answers: 'file',
    handle({ context, services }) {
      const models = offeredModels(services.catalogue.current()).map(({ publicId }) =>
        addressOfModel(publicId),
      );
      const paths = [...publicPaths, ...models].slice(0, mostAddresses);
      const entries = paths.map(
        (path) => `<url><loc>${escapeXml(visitOf(context).address + path)}</loc></url>`,
      );
      return context.body(
        `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>\n`,
        200,
        { 'content-type': 'application/xml; charset=utf-8' },
      );
    },
  }),
];

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll("'", '&apos;');
