/** The files that pages load. Their names carry a hash of what is in them, so that browsers may keep them for ever. */
import { readFileSync } from 'node:fs';
import type { Context } from 'hono';
import { Mark } from './mark.tsx';

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly content: string;
}

/** The accent of portal.css that stands out on light and dark tabs alike. */
const iconColour = '#12938f';

const stylesheet = nameByContent({
  name: 'portal',
  extension: 'css',
  type: 'text/css; charset=utf-8',
  content: readFileSync(new URL('portal.css', import.meta.url), 'utf8'),
});
const mark = nameByContent({
  name: 'mark',
  extension: 'svg',
  type: 'image/svg+xml',
  content: String(<Mark colour={iconColour} />),
});
const assets = new Map([stylesheet, mark].map((asset) => [asset.path, asset]));

export const stylesheetPath = stylesheet.path;
export const markPath = mark.path;
export const assetPaths: readonly string[] = [...assets.keys()];

export function serveAsset(context: Context): Response | Promise<Response> {
  const asset = assets.get(context.req.path);
  if (asset === undefined) return context.notFound();
  return context.body(asset.content, 200, {
    'content-type': asset.type,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  });
}

function nameByContent(file: {
  readonly name: string;
  readonly extension: string;
  readonly type: string;
  readonly content: string;
}): Asset {
  const { name, extension, type, content } = file;
  const hash = Bun.SHA256.hash(content, 'hex').slice(0, 16);
  return { path: `/assets/${name}-${hash}.${extension}`, type, content };
}
