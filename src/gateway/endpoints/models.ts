/** GET /v1/models and /v1/models/{id}: one path, three kinds of client. */
import { writeUsd } from '../../base/money.ts';
import type { Model } from '../../catalogue/index.ts';
import type { Caller } from '../../identity/index.ts';
import type { Supports } from '../../providers/index.ts';
import { isServed } from '../../routing/index.ts';
import { identifyCaller, requireScope } from '../caller.ts';
import { findModel, mayUse } from '../model-access.ts';
import type { GatewayServices } from '../services.ts';

type ModelsShape = 'array' | 'openai' | 'anthropic';

/** decisions.md, "GET /v1/models": the client's headers and the query choose, unless a setting pins the shape. */
function chooseShape(http: Request, setting: 'auto' | 'array' | 'openai'): ModelsShape {
  if (http.headers.has('anthropic-version')) return 'anthropic';
  if (setting !== 'auto') return setting;
  if (new URL(http.url).searchParams.get('format') === 'openai') return 'openai';
  for (const name of http.headers.keys()) if (name.startsWith('x-stainless-')) return 'openai';
  return /openai/i.test(http.headers.get('user-agent') ?? '') ? 'openai' : 'array';
}

export async function listModels(http: Request, services: GatewayServices): Promise<object> {
  const caller = await identifyReader(http, services);
  const models = services.catalogue.current().models.filter((model) => mayUse(caller, model));
  const shape = chooseShape(http, services.settings.modelsShape);
  if (shape === 'anthropic') return writeAnthropicList(models);
  const elements = models.map((model) => writeModel(model, caller));
  return shape === 'openai' ? { object: 'list', data: elements } : elements;
}

/** @throws AppError model_not_found or model_not_allowed. */
export async function showModel(http: Request, name: string, services: GatewayServices): Promise<object> {
  const caller = await identifyReader(http, services);
  const model = findModel(name, null, caller, services.catalogue.current());
  return chooseShape(http, services.settings.modelsShape) === 'anthropic'
    ? writeAnthropicModel(model)
    : writeModel(model, caller);
}

async function identifyReader(http: Request, services: GatewayServices): Promise<Caller> {
  const caller = await identifyCaller(http.headers, services.callers);
  requireScope(caller, ['inference', 'webchat', 'read']);
  return caller;
}

const hasChat = ({ chat }: Supports): boolean => chat !== undefined && chat.length > 0;

function writeModel(model: Model, caller: Caller): object {
  const has = (capability: string) => model.capabilities.includes(capability);
  return {
    id: model.publicId,
    object: 'model',
    created: Math.floor(model.createdAtMs / 1000),
    owned_by: model.ownedBy,
    type: model.type,
    ...(model.contextWindow === null ? {} : { context_window: model.contextWindow }),
    ...(model.maxOutputTokens === null ? {} : { max_output_tokens: model.maxOutputTokens }),
    capabilities: {
      chat_completions: model.type === 'chat' && isServed(model, caller, hasChat),
      reasoning: has('reasoning'),
      thinking: has('thinking'),
      vision: has('vision'),
      tools: has('tools'),
    },
    ...writePricing(model),
  };
}

/** USD per million tokens, as numbers. */
function writePricing({ prices }: Model): object {
  if (prices?.input === undefined && prices?.output === undefined) return {};
  const usd = (price: bigint | undefined) => Number(writeUsd(price ?? 0n));
  return { pricing: { input: usd(prices.input), output: usd(prices.output) } };
}

function writeAnthropicList(models: readonly Model[]): object {
  return {
    data: models.map(writeAnthropicModel),
    has_more: false,
    first_id: models[0]?.publicId ?? null,
    last_id: models.at(-1)?.publicId ?? null,
  };
}

function writeAnthropicModel(model: Model): object {
  return {
    type: 'model',
    id: model.publicId,
    display_name: model.publicId,
    created_at: new Date(model.createdAtMs).toISOString(),
  };
}
