/** Which test files depend on a setting: those that name it, or import (at any distance) a file that does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The paths, relative to `root`, of the test files in the folders that depend on the environment variable. */
export function suitesThatNeed(variable, root, folders) {
  const { texts, importers } = readImports(root, folders);
  const dependent = new Set([...texts.keys()].filter((file) => texts.get(file).includes(variable)));
  // A set that grows while it is walked is walked to its new end.
  for (const file of dependent) for (const importer of importers.get(file) ?? []) dependent.add(importer);
  return [...dependent]
    .filter((file) => /\.test\.tsx?$/.test(file))
    .map((file) => relative(root, file))
    .sort();
}

const read = new Map();

/** The text of each source, and who imports it; read once for all who ask for the same folders. */
function readImports(root, folders) {
  const key = JSON.stringify([root, folders]);
  const earlier = read.get(key);
  if (earlier !== undefined) return earlier;
  const texts = new Map(folders.flatMap((folder) => readSources(join(root, folder))));
  const importers = new Map();
  for (const [importer, text] of texts) {
    for (const imported of importsOf(importer, text)) {
      const known = importers.get(imported);
      if (known === undefined) importers.set(imported, [importer]);
      else known.push(importer);
    }
  }
  const found = { texts, importers };
  read.set(key, found);
  return found;
}

function readSources(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name))
    .map((file) => [file, readFileSync(file, 'utf8')]);
}

function importsOf(file, text) {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map(([, target]) =>
    join(dirname(file), target),
  );
}
