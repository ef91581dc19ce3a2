/** Providers from the keys in the environment, each with the models of the shipped list. */
import {
  checkProviders,
  listedModels,
  type ModelDeclaration,
  type ProviderDeclaration,
  priceListDate,
} from '../../catalogue/index.ts';
import { readAzure } from './azure.ts';
import { type EnvironmentPreset, environmentPresets } from './environment-presets.ts';
import type { Mistake } from './mistake.ts';
import { apiKey, httpAddress, VariableReader, type Variables } from './variables.ts';

/** What the environment declares; it takes a row only when nobody else has the name. */
export interface EnvironmentDeclaration {
  readonly providers: readonly ProviderDeclaration[];
  readonly models: readonly ModelDeclaration[];
}

export interface EnvironmentReading extends EnvironmentDeclaration {
  readonly mistakes: readonly Mistake[];
  readonly warnings: readonly Mistake[];
}

/** An unset variable declares nothing, so that its provider is hidden again when the variable goes away. */
export function readEnvironmentProviders(variables: Variables): EnvironmentReading {
  const from = new VariableReader(variables);
  const warnings: Mistake[] = [];
  const listed = environmentPresets.flatMap((preset) => readPreset(preset, from, warnings));
  const azure = readAzure(from, warnings);
  const models = [...listed.flatMap(({ name }) => listedModels(name)), ...azure.models];
  return {
    providers: [...listed, ...azure.providers],
    models: models.map((model, displayOrder) => ({ ...model, displayOrder })),
    mistakes: from.mistakes,
    warnings,
  };
}

function readPreset(
  { name, kind, keyVariable, baseUrl: usualUrl, baseUrlVariable }: EnvironmentPreset,
  from: VariableReader,
  warnings: Mistake[],
): ProviderDeclaration[] {
  const secret = from.read(keyVariable, apiKey, null);
  const otherUrl =
    baseUrlVariable === undefined
      ? null
      : from.read(baseUrlVariable, httpAddress('http://127.0.0.1:8000/v1'), null);
  if (secret === null) return [];
  const baseUrl = otherUrl ?? usualUrl;
  const provider: ProviderDeclaration = {
    name,
    kind,
    baseUrl,
    region: null,
    timeoutsMs: {},
    credentials: [{ name: keyVariable, secret }],
  };
  if (baseUrlVariable !== undefined && otherUrl !== null && otherUrl !== usualUrl) {
    for (const { msg } of checkProviders([provider])) from.note(baseUrlVariable, msg);
    const message = `its models and prices are taken to be those of ${name} on ${priceListDate}: declare the host in a file when they are not`;
    warnings.push({ where: baseUrlVariable, position: null, message });
  }
  return [provider];
}
