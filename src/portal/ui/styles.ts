/** One style sheet out of the CSS files that stand beside their components and pages. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const portal = fileURLToPath(new URL('..', import.meta.url));
const foundations = ['ui/tokens.css', 'ui/base.css'];

/**
 * Foundations first, then components, then pages, each in a layer: a page may change a component, and no component a
 * page, however specific its selector. A file is taken by being there.
 * @param fontPaths Where the fonts are served, by the name in `url("font:…")`.
 */
export function joinStyles(fontPaths: ReadonlyMap<string, string>): string {
  const files = [...new Bun.Glob('**/*.css').scanSync(portal)].toSorted();
  const rest = files.filter((file) => !foundations.includes(file));
  const layers = [
    ['base', foundations],
    ['components', rest.filter((file) => file.startsWith('ui/'))],
    ['pages', rest.filter((file) => !file.startsWith('ui/'))],
  ] as const;
  const css = layers.map(([layer, members]) => `@layer ${layer}{${members.map(read).join('\n')}}`).join('');
  return shorten(`@layer base,components,pages;${css}`).replace(/url\("font:([\w-]+)"\)/g, (_, name) => {
    const path = fontPaths.get(name);
    if (path === undefined) throw new Error(`there is no font ${name}`);
    return `url("${path}")`;
  });
}

const read = (file: string): string => readFileSync(`${portal}/${file}`, 'utf8');

/** Comments and spaces alone: a bundler would also rewrite `light-dark()` into media queries, and the theme's switch would do nothing. */
function shorten(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replaceAll(';}', '}');
}
