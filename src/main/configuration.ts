/** The whole configuration of a start: settings, and the file or the environment's providers; read and checked. */
import {
  ConfigurationError,
  type ConfigurationFile,
  type EnvironmentDeclaration,
  findOllama,
  type Mistake,
  type ProviderKinds,
  readConfigurationFile,
  readEnvironmentProviders,
  simulatorDeclaration,
  type Variables,
} from '../configuration/index.ts';
import { type Environment, readEnvironment } from './environment.ts';

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
      unheard: sources.flatMap(({ unheard = [] }) => unheard),
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
  const { file } = reading;
  return {
    environment,
    file,
    declared: [],
    mistakes: [...mistakes, ...reading.mistakes, ...withoutAddress(environment, file)],
    warnings: reading.warnings,
  };
}

/** People of a portal under another name sign in by a provider on the main host, which has to be known then. */
function withoutAddress({ publicUrl }: Environment, file: ConfigurationFile | null): readonly Mistake[] {
  if (publicUrl !== null || file === null || file.content.portals.length === 0) return [];
  const message = 'set it to the address of the main host: portals of other hosts return to it to sign in';
  return [{ where: 'SLUICE_PUBLIC_URL', position: null, message }];
}
