/** Providers from the keys in the environment, each with the models of the shipped list. */
import { z } from 'zod';
import {
  listedModels,
  type ModelDeclaration,
  type ProviderDeclaration,
  priceListDate,
} from '../../catalogue/index.ts';
import type { Mistake } from './mistake.ts';
import { httpAddress, type VariableKind, VariableReader, type Variables } from './variables.ts';

/** What the environment declares; it takes a row only when nobody else has the name. */
export interface EnvironmentDeclaration {
  readonly providers: readonly ProviderDeclaration[];
  readonly models: readonly ModelDeclaration[];
}

interface Preset {
  readonly name: string;
  readonly keyVariable: string;
  /** `openai` when not given. */
  readonly kind?: 'anthropic';
  /** Of the interface that the kind speaks, as the provider's own documentation gives it. */
  readonly baseUrl: string;
  readonly baseUrlVariable?: string;
}

const presets: readonly Preset[] = [
  {
    name: 'openai',
    keyVariable: 'OPENAI_API_KEY',
    baseUrl: 'https://api.openai.com/v1',
    baseUrlVariable: 'OPENAI_BASE_URL',
  },
  {
    name: 'anthropic',
    keyVariable: 'ANTHROPIC_API_KEY',
    kind: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
  },
  {
    name: 'gemini',
    keyVariable: 'GEMINI_API_KEY',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  },
  { name: 'deepseek', keyVariable: 'DEEPSEEK_API_KEY', baseUrl: 'https://api.deepseek.com/v1' },
  { name: 'mistral', keyVariable: 'MISTRAL_API_KEY', baseUrl: 'https://api.mistral.ai/v1' },
  { name: 'groq', keyVariable: 'GROQ_API_KEY', baseUrl: 'https://api.groq.com/openai/v1' },
  { name: 'xai', keyVariable: 'XAI_API_KEY', baseUrl: 'https://api.x.ai/v1' },
  { name: 'openrouter', keyVariable: 'OPENROUTER_API_KEY', baseUrl: 'https://openrouter.ai/api/v1' },
];

const apiKey: VariableKind<string> = {
  expected: 'an API key: printable characters without spaces',
  schema: z
    .string()
    .trim()
    .regex(/^[!-~]+$/),
  isSecret: true,
};

export interface EnvironmentReading extends EnvironmentDeclaration {
  readonly mistakes: readonly Mistake[];
  readonly warnings: readonly Mistake[];
}

/** An unset variable declares nothing, so that its provider is hidden again when the variable goes away. */
export function readEnvironmentProviders(variables: Variables): EnvironmentReading {
  const from = new VariableReader(variables);
  const warnings: Mistake[] = [];
  const providers = presets.flatMap((preset): ProviderDeclaration[] => {
    const secret = from.read(preset.keyVariable, apiKey, null);
    const otherUrl =
      preset.baseUrlVariable === undefined
        ? null
        : from.read(preset.baseUrlVariable, httpAddress('http://127.0.0.1:8000/v1'), null);
    if (secret === null) return [];
    if (preset.baseUrlVariable !== undefined && otherUrl !== null && otherUrl !== preset.baseUrl) {
      const message = `its models and prices are taken to be those of ${preset.name} on ${priceListDate}: declare the host in a file when they are not`;
      warnings.push({ where: preset.baseUrlVariable, position: null, message });
    }
    return [
      {
        name: preset.name,
        kind: preset.kind ?? 'openai',
        baseUrl: otherUrl ?? preset.baseUrl,
        region: null,
        timeoutsMs: {},
        credentials: [{ name: preset.keyVariable, secret }],
      },
    ];
  });
  const models = providers.flatMap(({ name }) => listedModels(name));
  return {
    providers,
    models: models.map((model, displayOrder) => ({ ...model, displayOrder })),
    mistakes: from.mistakes,
    warnings,
  };
}
