/** The whole configuration of a start: settings, the file or the environment's providers; read, checked, applied. */
import { transact } from '../../storage/work.ts';
import { type ApplyParts, type ApplyReport, takeConfigurationTurn } from './apply.ts';
import { applyEnvironment } from './apply-environment.ts';
import { applyFile } from './apply-file.ts';
import { type Environment, readEnvironment } from './environment.ts';
import { type EnvironmentDeclaration, readEnvironmentProviders } from './environment-providers.ts';
import { type ConfigurationFile, readConfigurationFile } from './file.ts';
import type { ProviderKinds } from './kind-checks.ts';
import { ConfigurationError, type Mistake } from './mistake.ts';
import { findOllama } from './ollama.ts';
import { simulatorDeclaration } from './simulator.ts';
import type { Variables } from './variables.ts';

export interface Configuration {
  readonly environment: Environment;
  /** Null without SLUICE_CONFIG. */
  readonly file: ConfigurationFile | null;
  /** Empty but for the simulator when there is a file: then the file says what there is. */
  readonly declared: EnvironmentDeclaration;
  readonly warnings: readonly Mistake[];
}

/**
 * Reads everything that a start needs; without a file it also asks for an Ollama, which takes 300 ms at most.
 * @throws ConfigurationError with every mistake there is.
 */
export async function loadConfiguration(
  variables: Variables,
  providerKinds: ProviderKinds,
  ollamaLimitMs?: number,
): Promise<Configuration> {
  const reading = await readAll(variables, providerKinds);
  const { environment } = reading;
  const ollama = environment.configFile === null ? [await findOllama(variables, ollamaLimitMs)] : [];
  const simulator = environment.databaseUrl === null ? [simulatorDeclaration] : [];
  const mistakes = [...reading.mistakes, ...ollama.flatMap((found) => found.mistakes)];
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  const sources = [...reading.declared, ...ollama, ...simulator];
  return {
    environment,
    file: reading.file,
    declared: {
      providers: sources.flatMap(({ providers }) => providers),
      models: sources.flatMap(({ models }) => models),
    },
    warnings: [...reading.warnings, ...ollama.flatMap((found) => found.warnings)],
  };
}

/** For `config check`: what is wrong or odd, without a database, without network and without writing anything. */
export async function checkConfiguration(
  variables: Variables,
  providerKinds: ProviderKinds,
): Promise<{ mistakes: readonly Mistake[]; warnings: readonly Mistake[] }> {
  const { mistakes, warnings } = await readAll(variables, providerKinds);
  return { mistakes, warnings };
}

async function readAll(variables: Variables, providerKinds: ProviderKinds) {
  const { environment, mistakes } = readEnvironment(variables);
  const { configFile, tokenPrefix } = environment;
  if (configFile === null) {
    const fromKeys = readEnvironmentProviders(variables);
    return {
      environment,
      file: null,
      declared: [fromKeys],
      mistakes: [...mistakes, ...fromKeys.mistakes],
      warnings: fromKeys.warnings,
    };
  }
  const reading = await readConfigurationFile(configFile, variables, { providerKinds, tokenPrefix });
  return {
    environment,
    file: reading.file,
    declared: [],
    mistakes: [...mistakes, ...reading.mistakes],
    warnings: reading.warnings,
  };
}

/**
 * Applies a configuration to the database, in one transaction: all of it or nothing. Safe to repeat at every
 * start; rows that a file declared before stay as they are when there is no file now.
 * @throws ConfigurationError for what only the database could tell.
 */
export async function applyConfiguration(
  configuration: Pick<Configuration, 'file' | 'declared'>,
  parts: ApplyParts,
): Promise<ApplyReport> {
  const { file, declared } = configuration;
  return await transact(parts, async (work) => {
    await takeConfigurationTurn(work);
    // Before the file, so that it can take names which the environment gave up.
    const environmentChanged = await applyEnvironment({ ...work, envelope: parts.envelope }, declared);
    if (file === null) return { changed: environmentChanged, warnings: [] };
    const { changed, warnings } = await applyFile(work, file, parts);
    return { changed: changed || environmentChanged, warnings };
  });
}
