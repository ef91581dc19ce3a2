/** An Azure OpenAI resource from the environment; only its owner knows what its deployments are called. */
import { z } from 'zod';
import { listedModels, type ModelDeclaration, type ProviderDeclaration } from '../../catalogue/index.ts';
import type { Mistake } from './mistake.ts';
import { apiKey, httpAddress, type VariableKind, type VariableReader } from './variables.ts';

const name = 'azure';
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

const nothing: AzureDeclaration = { providers: [], models: [] };

/** A key alone may be meant for another program, so it is worth no more than a warning. */
export function readAzure(from: VariableReader, warnings: Mistake[]): AzureDeclaration {
  const secret = from.read(keyVariable, apiKey, null);
  const baseUrl = from.read(endpointVariable, httpAddress('https://mine.openai.azure.com'), null);
  const deployments = from.read(deploymentsVariable, deploymentNames, []);
  if (secret === null) return nothing;
  const missing = [
    ...(baseUrl === null ? [endpointVariable] : []),
    ...(deployments.length === 0 ? [deploymentsVariable] : []),
  ];
  if (missing.length > 0) {
    const message = `is not used without ${missing.join(' and ')}`;
    warnings.push({ where: keyVariable, position: null, message });
    return nothing;
  }
  return {
    providers: [
      {
        name,
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
    id: `${name}/${deployment}`,
    type: listed?.type ?? 'chat',
    ownedBy: listed?.ownedBy ?? name,
    aliases: [],
    contextWindow: listed?.contextWindow ?? null,
    maxOutputTokens: listed?.maxOutputTokens ?? null,
    capabilities: listed?.capabilities ?? ['tools'],
    prices: listed?.prices ?? null,
    deployments: [{ provider: name, upstreamId: deployment }],
  };
}
