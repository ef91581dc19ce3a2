/** The configuration file: read, filled from the environment and checked, without asking a database. */
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError } from '../base/errors.ts';
import type { ModelDeclaration, ProviderDeclaration } from '../catalogue/index.ts';
import { declareModels, declareProviders } from './declarations.ts';
import { checkFile, type FileRules } from './file-checks.ts';
import { type FileContent, fileSchema, standIns } from './file-schema.ts';
import { ConfigurationError, type Mistake, writePath } from './mistake.ts';
import { readLogos } from './portal-logos.ts';
import { checkSchema } from './schema-issue.ts';
import { declareIdentityProviders, type IdentityProvider } from './sign-in-schema.ts';
import type { Variables } from './variables.ts';
import { readYaml, type YamlSource } from './yaml-source.ts';

export interface ConfigurationFile {
  readonly content: FileContent;
  readonly providers: readonly ProviderDeclaration[];
  readonly models: readonly ModelDeclaration[];
  readonly identityProviders: readonly IdentityProvider[];
  /** The text of a portal's picture, by the portal's place in the file. */
  readonly logos: ReadonlyMap<number, string>;
  /** A mistake that shows only in the database, at its place in the file. */
  mistakeAt(path: readonly PropertyKey[], message: string): Mistake;
}

export interface FileReading {
  /** Null when there are mistakes. */
  readonly file: ConfigurationFile | null;
  readonly mistakes: readonly Mistake[];
  readonly warnings: readonly Mistake[];
}

/** Reads and checks the file at `path`. Never throws for what a person wrote. */
export async function readConfigurationFile(
  path: string,
  variables: Variables,
  rules: FileRules,
): Promise<FileReading> {
  let text: string;
  let isOpenToAll: boolean;
  try {
    text = await readFile(path, 'utf8');
    // Windows has no such bits and makes them up.
    isOpenToAll = process.platform !== 'win32' && ((await stat(path)).mode & readableByAll) !== 0;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const message = `cannot read ${path} (${code})`;
    return { file: null, mistakes: [{ where: 'SLUICE_CONFIG', position: null, message }], warnings: [] };
  }
  return withLogos(readConfiguration(text, { path, variables, isOpenToAll, ...rules }), path);
}

async function withLogos(reading: FileReading, path: string): Promise<FileReading> {
  const { file, mistakes } = reading;
  if (file === null) return reading;
  const { logos, problems } = await readLogos(file.content.portals, path);
  if (problems.length === 0) return { ...reading, file: { ...file, logos } };
  const others = problems.map((problem) => file.mistakeAt(problem.path, problem.message));
  return { ...reading, file: null, mistakes: [...mistakes, ...others] };
}

const readableByAll = 0o004;

interface Source extends FileRules {
  /** Only names the file in mistakes. */
  readonly path: string;
  readonly variables: Variables;
  /** Whether everybody on this machine can read the file; false when not given. */
  readonly isOpenToAll?: boolean;
}

export function readConfiguration(text: string, source: Source): FileReading {
  const yaml = readYaml(text, basename(source.path));
  if (yaml.mistakes.length > 0) return { file: null, mistakes: yaml.mistakes, warnings: [] };
  if (yaml.value === null) {
    // Nothing declared would revoke every key of the file before; a file cut short must not do that.
    const message = 'the file is empty: write {} to declare nothing';
    return { file: null, mistakes: [mistakeIn(yaml, [], message)], warnings: [] };
  }
  const filled = interpolate(yaml.value, source.variables);
  const { content, problems } = checkSchema(fileSchema, filled.value, standIns);
  const checked = content === undefined ? { mistakes: [], warnings: [] } : checkFile(content, source);
  const missing = filled.problems.map(({ path }) => path);
  const misshapen = problems.filter(isNotAbout(missing));
  const meant = problems.flatMap((problem) => (problem.meant === undefined ? [] : [problem.meant]));
  const isNews = isNotAbout([...missing, ...problems.map(({ path }) => path), ...meant]);
  const mistakes = inOrder(
    [...filled.problems, ...misshapen, ...checked.mistakes.filter(isNews)].map(({ path, message }) =>
      mistakeIn(yaml, path, message),
    ),
  );
  const openSecrets = source.isOpenToAll === true ? filled.plainSecrets : [];
  return {
    file:
      content === undefined || mistakes.length > 0
        ? null
        : {
            content,
            providers: declareProviders(content),
            models: declareModels(content),
            identityProviders: declareIdentityProviders(content),
            logos: new Map(),
            mistakeAt: (path, message) => mistakeIn(yaml, path, message),
          },
    mistakes,
    warnings: [
      ...openSecrets.slice(0, 1).map((first) => warnOfReaders(first, openSecrets.length, source.path)),
      ...inOrder(checked.warnings.filter(isNews).map(({ path, message }) => mistakeIn(yaml, path, message))),
    ],
  };
}

/**
 * Of what is wrong at a path one complaint is enough: what stands there, or in it, is not what was meant, and neither
 * is a price or another part that lacks it. An entry as a whole can be wrong for reasons of its own.
 */
function isNotAbout(suspects: readonly (readonly PropertyKey[])[]) {
  const written = suspects.map(writePath);
  return ({ path }: { readonly path: readonly PropertyKey[] }): boolean => {
    const here = writePath(path);
    return !written.some(
      (suspect) => isWithin(here, suspect) || (path.length > 2 && isWithin(suspect, here)),
    );
  };
}

const isWithin = (path: string, outer: string): boolean =>
  path === outer || (path.startsWith(outer) && (path[outer.length] === '.' || path[outer.length] === '['));

function warnOfReaders(first: readonly PropertyKey[], count: number, path: string): Mistake {
  const others = count === 1 ? '' : ` and ${count - 1} more`;
  const message = `everybody on this machine can read ${path}, which holds secrets (${writePath(first)}${others}): run chmod 600 on it, or write \${NAME} in their place and set the variables`;
  return { where: 'SLUICE_CONFIG', position: null, message };
}

const mistakeIn = (yaml: YamlSource, path: readonly PropertyKey[], message: string): Mistake => ({
  where: writePath(path),
  position: yaml.locate(path),
  message,
});

/** As one comes upon them when mending the file from its top. */
const inOrder = (mistakes: readonly Mistake[]): readonly Mistake[] =>
  mistakes.toSorted(
    ({ position: a }, { position: b }) =>
      (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0),
  );

/**
 * Runs a write that the file asked for.
 * @param path what the locations in a refusal are relative to.
 * @throws ConfigurationError in place of an AppError `validation_failed`.
 */
export async function locating<Result>(
  file: ConfigurationFile,
  path: readonly PropertyKey[],
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error;
    throw new ConfigurationError(
      error.fields.map(({ loc, msg }) => file.mistakeAt([...path, ...loc.map(asWritten)], msg)),
    );
  }
}

/** The rooms say `allowedModels` where the file says `allowed_models`. */
function asWritten(step: string | number): string | number {
  if (typeof step === 'number') return step;
  return step.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

interface Interpolation {
  readonly value: unknown;
  readonly problems: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
  /** Where secrets stand in so many words, not as variables. */
  readonly plainSecrets: readonly (readonly PropertyKey[])[];
}

const reference = /\$\$\{|\$\{([^}]*)(\}?)/g;
const malformed = 'expected the name of a variable between the braces; double the dollar for a literal one';
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const bareReference = /\$([A-Za-z_][A-Za-z0-9_]*)/g;
const bareConstant = /^\$[A-Z_][A-Z0-9_]*$/;
const secretNames: ReadonlySet<PropertyKey | undefined> = new Set([
  'password',
  'api_key',
  'token',
  'client_secret',
]);

/** Texts only: neither keys nor numbers. What is put in is not looked through again, and stays text. */
function interpolate(value: unknown, variables: Variables): Interpolation {
  const problems: { path: readonly PropertyKey[]; message: string }[] = [];
  const plainSecrets: (readonly PropertyKey[])[] = [];
  const walk = (node: unknown, path: readonly PropertyKey[]): unknown => {
    if (Array.isArray(node)) return node.map((item, index) => walk(item, [...path, index]));
    if (typeof node === 'object' && node !== null) {
      return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, walk(item, [...path, key])]));
    }
    if (typeof node !== 'string') return node;
    if (secretNames.has(path.at(-1)) && !node.includes('${')) plainSecrets.push(path);
    // In a password a dollar can be a dollar.
    const around = path.at(-1) === 'password' ? {} : variables;
    for (const message of findBareReferences(node, around)) problems.push({ path, message });
    return node.replace(reference, (written, name: string | undefined, end: string | undefined) => {
      if (name === undefined) return '${';
      if (end === '' || !variableName.test(name)) {
        problems.push({ path, message: malformed });
        return written;
      }
      const found = variables[name];
      if (found !== undefined && found !== '') return found;
      problems.push({ path, message: `the environment variable ${name} is not set` });
      return written;
    });
  };
  return { value: walk(value, []), problems, plainSecrets };
}

/** A shell would put a value in for `$NAME`. Here it would stand as it is, and be sent to a provider as if it were a key. */
function findBareReferences(text: string, variables: Variables): readonly string[] {
  const names = [...text.matchAll(bareReference)].map(([, name = '']) => name);
  const meant = names.filter((name) => (variables[name] ?? '') !== '' || bareConstant.test(text));
  return [...new Set(meant)].map(
    (name) => `$${name} stands for no variable without braces: write \${${name}}`,
  );
}
