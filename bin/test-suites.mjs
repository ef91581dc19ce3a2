/** Which test files depend on a setting: those that name it, or import (at any distance) a file that does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The paths, relative to `root`, of the test files in the folders that depend on the environment variable. */
export function suitesThatNeed(variable, root, folders) {
  const texts = new Map(folders.flatMap((folder) => readSources(join(root, folder))));
  const dependent = new Set([...texts.keys()].filter((file) => texts.get(file).includes(variable)));
  // A set that grows while it is walked is walked to its new end.
  for (const file of dependent) {
    for (const [importer, text] of texts) {
      if (importsOf(importer, text).includes(file)) dependent.add(importer);
    }
  }
  return [...dependent]
    .filter((file) => /\.test\.tsx?$/.test(file))
    .map((file) => relative(root, file))
    .sort();
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
