#!/usr/bin/env node
/** `npm run walls`: holds the imports of src/ and test/ against .dependency-cruiser.mjs and fails if it could not read them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import config from '../.dependency-cruiser.mjs';
import { InstallError, install, root } from './install.mjs';

const checker = 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs';
const reportBytes = 256 * 1024 * 1024;

try {
  process.exitCode = checkWalls(await install('full'));
} catch (error) {
  console.error(error instanceof InstallError ? `sluice: ${error.message}` : error);
  process.exitCode = 1;
}

function checkWalls(bun) {
  const { modules, summary } = cruise(bun);
  const sources = modules.filter((module) => module.source.startsWith('src/'));
  const edges = sources.flatMap((module) => module.dependencies).filter(({ resolved }) => isOurs(resolved));
  const complaints = [...summary.violations.map(describe), ...sources.flatMap(unseenImports)];
  for (const complaint of complaints) console.error(complaint);
  console.log(`${sources.length} modules, ${edges.length} dependencies, ${complaints.length} broken walls`);
  if (sources.length === 0 || edges.length === 0) {
    console.error('Nothing was read: the parser does not understand these sources.');
    return 1;
  }
  return complaints.length === 0 ? 0 : 1;
}

function cruise(bun) {
  // By Bun, because the checker asks for a newer Node than the house does.
  const folders = ['src', 'test'].filter((folder) => existsSync(join(root, folder)));
  const args = [checker, '--config', '.dependency-cruiser.mjs', '--output-type', 'json', ...folders];
  const { stdout, stderr } = spawnSync(bun, args, { cwd: root, encoding: 'utf8', maxBuffer: reportBytes });
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`dependency-cruiser gave no report: ${stderr || stdout}`);
  }
}

function describe({ rule, from, to, cycle }) {
  const path = cycle === undefined ? [from, to] : [from, ...cycle.map(({ name }) => name)];
  const { comment } = config.forbidden.find(({ name }) => name === rule.name);
  return `${rule.name}: ${path.join(' → ')} (${comment})`;
}

/** The parser overlooks `import('…')` in the place of a type; nothing may pass a wall that way. */
function unseenImports({ source, dependencies }) {
  const text = readFileSync(join(root, source), 'utf8');
  return [...text.matchAll(/\bimport\(\s*['"](\.[^'"]+)['"]/g)]
    .filter(([, target]) => !dependencies.some(({ module }) => module === target))
    .map(([, target]) => `unseen-import: ${source} → ${target} (write it as an import type)`);
}

function isOurs(path) {
  return path.startsWith('src/');
}
