/** Providers from the keys in the environment, each with the models of the shipped list. */

import { z } from 'zod';
import {
  checkProviders,
  listedModels,
  type ModelDeclaration,
  type ProviderDeclaration,
  priceListDate,
} from '../catalogue/index.ts';
import { azureOpenai } from '../providers/azure-openai/azure-openai.ts';
import { presets } from '../providers/openai/openai.ts';
import { problemsOf } from './kind-checks.ts';
import type { Mistake } from './mistake.ts';
import { apiKey, httpAddress, type VariableKind, VariableReader, type Variables } from './variables.ts';

/** What the environment declares; it takes a row only when nobody else has the name. */
export interface EnvironmentDeclaration {
  readonly providers: readonly ProviderDeclaration[];
  readonly models: readonly ModelDeclaration[];
  /** Those that did not say now which models they have: what is known of them from an earlier start stays. */
  readonly unheard?: readonly Pick<ProviderDeclaration, 'name' | 'baseUrl'>[];
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
  if (baseUrlVariable !== undefined && otherUrl !== null && !isSameHost(otherUrl, usualUrl)) {
    for (const { msg } of checkProviders([provider])) from.note(baseUrlVariable, msg);
    const message = `its models and prices are taken to be those of ${name} on ${priceListDate}: declare the host in a file when they are not`;
    warnings.push({ where: baseUrlVariable, position: null, message });
  }
  return [provider];
}

const isSameHost = (url: string, usual: string | null): boolean =>
  usual !== null && new URL(url).host === new URL(usual).host;

interface EnvironmentPreset {
  readonly name: string;
  readonly kind: string;
  readonly keyVariable: string;
  /** Null where the kind itself knows its address. */
  readonly baseUrl: string | null;
  readonly baseUrlVariable?: string;
}

const named = (name: string, keyVariable: string, kind = name): EnvironmentPreset => ({
  name,
  kind,
  keyVariable,
  baseUrl: null,
});

/** In the order in which their models are shown. */
export const environmentPresets: readonly EnvironmentPreset[] = [
  {
    ...named('openai', 'OPENAI_API_KEY'),
    baseUrl: 'https://api.openai.com/v1',
    baseUrlVariable: 'OPENAI_BASE_URL',
  },
  { ...named('anthropic', 'ANTHROPIC_API_KEY'), baseUrl: 'https://api.anthropic.com/v1' },
  named('gemini', 'GEMINI_API_KEY', 'google'),
  ...presets.flatMap(({ kind, keyVariable, baseUrl }) =>
    keyVariable === null ? [] : [{ name: kind, kind, keyVariable, baseUrl }],
  ),
  named('cohere', 'COHERE_API_KEY'),
  named('voyage', 'VOYAGE_API_KEY'),
  named('jina', 'JINA_API_KEY'),
  named('deepgram', 'DEEPGRAM_API_KEY'),
  named('elevenlabs', 'ELEVENLABS_API_KEY'),
];

const azure = 'azure';
const keyVariable = 'AZURE_OPENAI_API_KEY';
const endpointVariable = 'AZURE_OPENAI_ENDPOINT';
const deploymentsVariable = 'AZURE_OPENAI_DEPLOYMENTS';

const deploymentNames: VariableKind<readonly string[]> = {
  expected: 'the names of deployments, with commas between them',
  schema: z
    .string()
    .transform((text) => [...new Set(text.split(',').map((one) => one.trim()))])
    .pipe(z.array(z.string().regex(/^[\w.-]{1,64}$/)).min(1)),
};

interface AzureDeclaration {
  readonly providers: readonly ProviderDeclaration[];
  readonly models: readonly Omit<ModelDeclaration, 'displayOrder'>[];
}

const noAzure: AzureDeclaration = { providers: [], models: [] };

/** A key alone may be meant for another program, so it is worth no more than a warning. */
function readAzure(from: VariableReader, warnings: Mistake[]): AzureDeclaration {
  const secret = from.read(keyVariable, apiKey, null);
  const baseUrl = from.read(endpointVariable, httpAddress('https://mine.openai.azure.com'), null);
  const deployments = from.read(deploymentsVariable, deploymentNames, []);
  if (secret === null) return noAzure;
  const missing = [
    ...(baseUrl === null ? [endpointVariable] : []),
    ...(deployments.length === 0 ? [deploymentsVariable] : []),
  ];
  if (baseUrl !== null) {
    const place = { baseUrl, region: null, secret, settings: {} };
    for (const { message } of problemsOf(() => azureOpenai.checkPlace?.(place), [], ['base_url'])) {
      from.note(endpointVariable, message);
    }
  }
  if (missing.length > 0) {
    const message = `is not used without ${missing.join(' and ')}`;
    warnings.push({ where: keyVariable, position: null, message });
    return noAzure;
  }
  return {
    providers: [
      {
        name: azure,
        kind: 'azure-openai',
        baseUrl,
        region: null,
        timeoutsMs: {},
        credentials: [{ name: keyVariable, secret }],
      },
    ],
    models: deployments.map(declareModel),
  };
}

/** A deployment that is called like a model of OpenAI's is taken to be it; any other has no price. */
function declareModel(deployment: string): Omit<ModelDeclaration, 'displayOrder'> {
  const listed = listedModels('openai').find(({ id }) => id === deployment);
  return {
    id: `${azure}/${deployment}`,
    type: listed?.type ?? 'chat',
    ownedBy: listed?.ownedBy ?? azure,
    aliases: [],
    contextWindow: listed?.contextWindow ?? null,
    maxOutputTokens: listed?.maxOutputTokens ?? null,
    capabilities: listed?.capabilities ?? ['tools'],
    prices: listed?.prices ?? null,
    deployments: [{ provider: azure, upstreamId: deployment }],
  };
}
