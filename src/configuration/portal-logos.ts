/** The pictures that portals under other names show, read from the files that the configuration names. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Problem } from './sign-in-schema.ts';

/** Shown on every page, so that a large one would cost more than the page. */
const mostLogoBytes = 32_768;
/** A picture in an `<img>` runs nothing; opened by itself the policy of its answer holds it. This catches mistakes. */
const foreign =
  /<script|<foreignObject|<!ENTITY|\son[a-z]+\s*=|javascript:|href\s*=\s*["']\s*(?:https?:)?\/\//i;

/**
 * The pictures that portals name, by path from the file's folder.
 * @returns the text of each logo by the place of its portal, and what is wrong with the others.
 */
export async function readLogos(
  portals: readonly { readonly logo?: string | undefined }[],
  configFile: string,
): Promise<{ logos: ReadonlyMap<number, string>; problems: readonly Problem[] }> {
  const logos = new Map<number, string>();
  const problems: Problem[] = [];
  for (const [at, { logo }] of portals.entries()) {
    if (logo === undefined) continue;
    const read = await readLogo(resolve(dirname(configFile), logo));
    if ('text' in read) logos.set(at, read.text);
    else problems.push({ path: ['portals', at, 'logo'], message: read.message });
  }
  return { logos, problems };
}

async function readLogo(path: string): Promise<{ text: string } | { message: string }> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { message: `cannot read ${path} (${code})` };
  }
  if (bytes.byteLength > mostLogoBytes) return { message: `has more than ${mostLogoBytes} bytes` };
  const text = bytes.toString('utf8');
  if (!/<svg[\s>]/i.test(text)) return { message: 'expected an SVG picture' };
  if (text.includes('\0') || foreign.test(text)) {
    return { message: 'expected an SVG picture without scripts, and without anything from elsewhere' };
  }
  return { text };
}
