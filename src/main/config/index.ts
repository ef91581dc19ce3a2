/** The configuration: what the environment and the file say, checked, and how it reaches the database. */
export { takeConfigurationTurn } from './apply.ts';
export {
  applyConfiguration,
  type Configuration,
  checkConfiguration,
  loadConfiguration,
} from './configuration.ts';
export { type Environment, readEnvironment, requireEnvironment } from './environment.ts';
export { ConfigurationError, writeMistake } from './mistake.ts';
export { loadSecret } from './secret.ts';
