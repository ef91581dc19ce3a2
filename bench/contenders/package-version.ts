/** The version of an installed package, for the results. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @throws Error when the folder holds no package. */
export function readPackageVersion(folder: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  if (!hasVersion) throw new Error(`${folder} holds no package`);
  return String(manifest.version);
}
