/** Where the clients are: in the folder that SLUICE_CLIENTS names, or on the path. */
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** A `node_modules`, or null where none is named. */
export const clientsFolder: string | null = findFolder();

function findFolder(): string | null {
  const named = process.env['SLUICE_CLIENTS'];
  if (named === undefined || named === '') return null;
  const folder = resolve(named);
  return existsSync(join(folder, 'node_modules')) ? join(folder, 'node_modules') : folder;
}

/** The program's path, or null. */
export function findProgram(name: string): string | null {
  const folders = [
    ...(clientsFolder === null ? [] : [join(clientsFolder, '.bin')]),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? null;
}

export function findMissing(packages: readonly string[]): readonly string[] {
  return packages.filter((name) => clientsFolder === null || !existsSync(join(clientsFolder, name)));
}

/** Of a package in the folder; empty for what is on the path. */
export function versionOf(name: string): string {
  if (clientsFolder === null) return '';
  try {
    return String(JSON.parse(readFileSync(join(clientsFolder, name, 'package.json'), 'utf8')).version);
  } catch {
    return '';
  }
}
