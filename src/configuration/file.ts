/** The configuration file: read, filled from the environment and checked, without asking a database. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError } from '../base/errors.ts';
import type { ModelDeclaration, ProviderDeclaration } from '../catalogue/index.ts';
import { checkFile, type FileRules } from './file-checks.ts';
import { declareModels, declareProviders, type FileContent, fileSchema } from './file-schema.ts';
import { ConfigurationError, type Mistake, writePath } from './mistake.ts';
import { checkSchema } from './schema-issue.ts';
import type { Variables } from './variables.ts';
import { readYaml, type YamlSource } from './yaml-source.ts';

export interface ConfigurationFile {
  readonly content: FileContent;
  readonly providers: readonly ProviderDeclaration[];
  readonly models: readonly ModelDeclaration[];
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
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const message = `cannot read ${path} (${code})`;
    return { file: null, mistakes: [{ where: 'SLUICE_CONFIG', position: null, message }], warnings: [] };
  }
  return readConfiguration(text, { path, variables, ...rules });
}

/** @param source `path` only names the file in mistakes. */
export function readConfiguration(
  text: string,
  source: FileRules & { readonly path: string; readonly variables: Variables },
): FileReading {
  const yaml = readYaml(text, basename(source.path));
  if (yaml.mistakes.length > 0) return { file: null, mistakes: yaml.mistakes, warnings: [] };
  if (yaml.value === null) {
    // Nothing declared would revoke every key of the file before; a file cut short must not do that.
    const message = 'the file is empty: write {} to declare nothing';
    return { file: null, mistakes: [mistakeIn(yaml, [], message)], warnings: [] };
  }
  const filled = interpolate(yaml.value, source.variables);
  const { content, problems } = checkSchema(fileSchema, filled.value);
  const checked = content === undefined ? { mistakes: [], warnings: [] } : checkFile(content, source);
  const unset = new Set(filled.problems.map(({ path }) => writePath(path)));
  const mistakes = inOrder(
    [
      ...filled.problems,
      // What stands where a variable is missing is not what was meant: no second complaint about it.
      ...[...problems, ...checked.mistakes].filter(({ path }) => !unset.has(writePath(path))),
    ].map(({ path, message }) => mistakeIn(yaml, path, message)),
  );
  return {
    file:
      content === undefined || mistakes.length > 0
        ? null
        : {
            content,
            providers: declareProviders(content),
            models: declareModels(content),
            mistakeAt: (path, message) => mistakeIn(yaml, path, message),
          },
    mistakes,
    warnings: inOrder(checked.warnings.map(({ path, message }) => mistakeIn(yaml, path, message))),
  };
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
}

const reference = /\$\$\{|\$\{([^}]*)(\}?)/g;
const malformed = 'expected the name of a variable between the braces; double the dollar for a literal one';
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Texts only: neither keys nor numbers. What is put in is not looked through again, and stays text. */
function interpolate(value: unknown, variables: Variables): Interpolation {
  const problems: { path: readonly PropertyKey[]; message: string }[] = [];
  const walk = (node: unknown, path: readonly PropertyKey[]): unknown => {
    if (Array.isArray(node)) return node.map((item, index) => walk(item, [...path, index]));
    if (typeof node === 'object' && node !== null) {
      return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, walk(item, [...path, key])]));
    }
    if (typeof node !== 'string') return node;
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
  return { value: walk(value, []), problems };
}
