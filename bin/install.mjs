/** Makes a fresh clone runnable: installs the packages the lock file names and brings Bun to life. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withInstallLock } from './install-lock.mjs';
import { run } from './run.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const stampFile = join(root, 'node_modules', '.sluice-install.json');
const bunProgram = join(root, 'node_modules', 'bun', 'bin', 'bun.exe');
const shownErrorLines = 20;
const unwritableCodes = new Set(['EROFS', 'EACCES', 'ENOSPC', 'EDQUOT']);

/** A failure that the person at the terminal can act on; it is shown without a stack. */
export class InstallError extends Error {}

/**
 * Installs what is missing for `mode` ('prod' to run, 'full' to develop) and resolves to the path of a working Bun.
 * Throws InstallError when npm or Bun's own set-up fails.
 */
export async function install(mode) {
  if (!isInstalled(mode) || !bunAnswers()) {
    await withInstallLock(
      root,
      () => installMissing(mode),
      () => say('another start is installing; waiting for it'),
    );
  }
  return bunProgram;
}

/** The environment Bun runs in. Bun reads its cap on outgoing connections (256 unless told) only when it starts. */
export function bunEnvironment() {
  return { BUN_CONFIG_MAX_HTTP_REQUESTS: '65000', ...process.env };
}

async function installMissing(mode) {
  const packagesMissing = !isInstalled(mode);
  if (packagesMissing) await installPackages(mode);
  let complaint = bunAnswers() ? '' : await setUpBun();
  if (!bunAnswers() && !packagesMissing) {
    // Someone's own npm may have left out the optional package that holds Bun for this platform.
    await installPackages(mode);
    complaint = await setUpBun();
  }
  if (!bunAnswers()) {
    throw new InstallError(
      `Bun does not run on this machine (${process.platform} ${process.arch}).\n${complaint}`,
    );
  }
}

function isInstalled(mode) {
  const fingerprint = lockFingerprint();
  const stamp = readJson(stampFile);
  if (stamp?.fingerprint === fingerprint) return stamp.mode === 'full' || stamp.mode === mode;
  // The wider mode first: what serves to develop serves to run, and is not to be installed again for the next command.
  const covered = ['full', mode].find(npmRecordCovers);
  if (covered !== undefined) writeStamp(covered);
  return covered !== undefined;
}

function lockFingerprint() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return createHash('sha256').update(`${process.platform} ${process.arch}\n`).update(lock).digest('hex');
}

/** Whether npm's own record of the folder (someone ran npm by hand) holds every package the mode needs, at its version. */
function npmRecordCovers(mode) {
  const present = readJson(join(root, 'node_modules', '.package-lock.json'))?.packages;
  const wanted = readJson(join(root, 'package-lock.json'))?.packages;
  if (present === undefined || wanted === undefined) return false;
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === '' ||
      entry.optional === true ||
      (mode === 'prod' && entry.dev === true) ||
      (present[path]?.version === entry.version && present[path]?.integrity === entry.integrity),
  );
}

async function installPackages(mode) {
  say(
    `installing ${mode === 'prod' ? 'dependencies (once, some 180 MB' : 'dependencies and development tools (once, some 450 MB'}; about half a minute)`,
  );
  const scope = mode === 'prod' ? '--omit=dev' : '--include=dev';
  const [program, ...first] = npmCommand();
  const args = [
    ...first,
    'ci',
    scope,
    '--include=optional',
    '--ignore-scripts',
    '--prefer-offline',
    '--loglevel=error',
  ];
  const { exitCode, output } = await run(program, args, { cwd: root, printed: 'kept' }).catch((error) => {
    throw new InstallError(`npm could not be started (${error.message}). Is npm installed?`);
  });
  if (exitCode !== 0) {
    throw new InstallError(`npm ci failed with exit code ${exitCode}:\n${lastLines(output)}`);
  }
  writeStamp(mode);
}

/** npm's own script when npm started us, so that a machine with several keeps to one; else the npm on the PATH. */
function npmCommand() {
  const script = process.env.npm_execpath;
  return script !== undefined && /\bnpm-cli\.c?js$/.test(script) ? [process.execPath, script] : ['npm'];
}

function bunAnswers() {
  return spawnSync(bunProgram, ['--version'], { stdio: 'ignore' }).status === 0;
}

/** Runs the set-up that npm leaves out with --ignore-scripts; answers what it printed. */
async function setUpBun() {
  const script = join(root, 'node_modules', 'bun', 'install.js');
  const { output } = await run(process.execPath, [script], { cwd: dirname(script), printed: 'kept' });
  return lastLines(output);
}

function writeStamp(mode) {
  try {
    writeFileSync(stampFile, `${JSON.stringify({ fingerprint: lockFingerprint(), mode })}\n`);
  } catch (error) {
    // Without a stamp every start compares the whole record again: slower, and all a read-only folder or a full disk allows.
    if (!unwritableCodes.has(error.code)) throw error;
  }
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function lastLines(output) {
  return output.trimEnd().split('\n').slice(-shownErrorLines).join('\n');
}

function say(message) {
  console.error(`sluice: ${message}`);
}
