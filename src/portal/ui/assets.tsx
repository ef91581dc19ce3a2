/** The files that pages load, made once in a process. Their names carry a hash of what is in them, so that browsers keep them for ever. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Context } from 'hono';
import { isAccent, writeAccentStyles } from './accent.ts';
import { Mark } from './mark.tsx';
import { joinStyles } from './styles.ts';

/** Scripts of their own, each for one thing; a page names those that it needs. */
export const islandNames = [
  'chart',
  'compare',
  'first-steps',
  'form',
  'frame',
  'key-form',
  'keyboard',
  'live-request',
  'palette',
  'passkey',
  'reference',
  'reload',
  'table',
  'try-model',
  'tail',
] as const;
export type IslandName = (typeof islandNames)[number];

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Null where compressing gains nothing. */
  readonly gzipped: Uint8Array<ArrayBuffer> | null;
}

export interface Assets {
  readonly stylesheetPath: string;
  readonly markPath: string;
  /** What other sites show beside a link to a page: 1200 by 630 pixels. */
  readonly picturePath: string;
  /** Loaded with the page, because all text waits for it. */
  readonly preloadedFontPath: string;
  readonly islandPath: (name: IslandName) => string;
  readonly find: (path: string) => Asset | undefined;
}

/** Of the name in `url("font:…")`. */
const fontFiles = {
  'inter-latin': import.meta.resolve('@fontsource-variable/inter/files/inter-latin-opsz-normal.woff2'),
  'inter-latin-ext': import.meta.resolve(
    '@fontsource-variable/inter/files/inter-latin-ext-opsz-normal.woff2',
  ),
  'mono-latin': import.meta.resolve(
    '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
  ),
  'mono-latin-ext': import.meta.resolve(
    '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-ext-wght-normal.woff2',
  ),
} as const;

/** The accent that stands out on light and dark tabs alike. */
const tabColour = '#12938f';

export const loadAssets = madeOnce(makeAssets);

/** All callers share what is made; what could not be made is tried again by the next. */
export function madeOnce<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let making: Promise<Made> | undefined;
  return () => {
    making ??= make().catch((error: unknown) => {
      making = undefined;
      throw error;
    });
    return making;
  };
}

export const assetPattern = '/assets/:name';

export async function serveAsset(context: Context): Promise<Response> {
  const { path } = context.req;
  const asset = (await loadAssets()).find(path) ?? findBrandStyles(path);
  if (asset === undefined) return context.notFound();
  const { bytes, gzipped, type } = asset;
  const isGzipped = gzipped !== null && /\bgzip\b/.test(context.req.header('accept-encoding') ?? '');
  return context.body(isGzipped ? gzipped : bytes, 200, {
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    ...(gzipped === null ? {} : { vary: 'accept-encoding' }),
    ...(isGzipped ? { 'content-encoding': 'gzip' } : {}),
  });
}

/** The style sheet of a brand's accent. Its path names the colour, so that no list of brands is kept. Null for none. */
export const brandStylesPath = (accent: string | null): string | null =>
  accent !== null && isAccent(accent) ? brandStyles(accent).path : null;

function findBrandStyles(path: string): Asset | undefined {
  const accent = `#${/^\/assets\/brand-([0-9a-f]{6})-/.exec(path)?.[1] ?? ''}`;
  const asset = isAccent(accent) ? brandStyles(accent) : undefined;
  return asset?.path === path ? asset : undefined;
}

const brandStyles = (accent: string): Asset =>
  nameByContent(`brand-${accent.slice(1).toLowerCase()}`, 'css', writeAccentStyles(accent));

async function makeAssets(): Promise<Assets> {
  const fonts = Object.entries(fontFiles).map(([name, file]): readonly [string, Asset] => [
    name,
    nameByContent(name, 'woff2', readFileSync(fileURLToPath(file))),
  ]);
  const fontPaths = new Map(fonts.map(([name, { path }]) => [name, path]));
  const stylesheet = nameByContent('portal', 'css', joinStyles(fontPaths));
  const mark = nameByContent('mark', 'svg', String(<Mark colour={tabColour} />));
  const picture = nameByContent('sluice', 'png', readFileSync(new URL('social.png', import.meta.url)));
  const islands = await bundleIslands();
  const all = [stylesheet, mark, picture, ...fonts.map(([, font]) => font), ...islands.values()];
  const byPath = new Map(all.map((asset) => [asset.path, asset]));
  return {
    stylesheetPath: stylesheet.path,
    markPath: mark.path,
    picturePath: picture.path,
    preloadedFontPath: fontPaths.get('inter-latin') ?? '',
    islandPath: (name) => islands.get(name)?.path ?? '',
    find: (path) => byPath.get(path),
  };
}

async function bundleIslands(): Promise<ReadonlyMap<string, Asset>> {
  const { outputs } = await Bun.build({
    entrypoints: islandNames.map((name) => fileURLToPath(import.meta.resolve(`./islands/${name}.ts`))),
    target: 'browser',
    format: 'esm',
    minify: true,
    naming: '[name].js',
  });
  const scripts = outputs.map(async (output): Promise<readonly [string, Asset]> => {
    const name = output.path.replace(/^.*\/|\.js$/g, '');
    return [name, nameByContent(name, 'js', await output.text())];
  });
  return new Map(await Promise.all(scripts));
}

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
} as const;

function nameByContent(name: string, extension: keyof typeof types, content: string | Uint8Array): Asset {
  const bytes = new Uint8Array(typeof content === 'string' ? Buffer.from(content) : content);
  const hash = Bun.SHA256.hash(bytes, 'hex').slice(0, 16);
  return {
    path: `/assets/${name}-${hash}.${extension}`,
    type: types[extension],
    bytes,
    gzipped: extension === 'woff2' || extension === 'png' ? null : Bun.gzipSync(bytes, { level: 9 }),
  };
}
