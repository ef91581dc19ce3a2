/** The configuration room: the declared file and the environment's providers, their rules and mistakes, and how they reach the database. */
export { applyConfiguration, lockConfiguration } from './apply.ts';
export { type EnvironmentDeclaration, readEnvironmentProviders } from './environment-providers.ts';
export { type ConfigurationFile, readConfigurationFile } from './file.ts';
export type { ProviderKinds } from './kind-checks.ts';
export { findOllama, simulatorDeclaration } from './local-providers.ts';
export { ConfigurationError, type Mistake, writeMistake } from './mistake.ts';
export type { IdentityProvider } from './sign-in-schema.ts';
export {
  choice,
  httpAddress,
  listenAddress,
  path,
  usdAmount,
  type VariableKind,
  VariableReader,
  type Variables,
  wholeNumber,
} from './variables.ts';
