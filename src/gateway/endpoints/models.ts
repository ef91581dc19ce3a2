/** GET /v1/models and /v1/models/{id}: one path, four kinds of client. */
import { writeUsd } from '../../base/money.ts';
import type { Model } from '../../catalogue/index.ts';
import type { Caller } from '../../identity/index.ts';
import { chatErrors } from '../../protocols/chat-completions/errors.ts';
import { googleErrors } from '../../protocols/google/errors.ts';
import { messagesErrors } from '../../protocols/messages/errors.ts';
import type { Supports } from '../../providers/index.ts';
import { isServed } from '../../routing/index.ts';
import { mayUse } from '../admit.ts';
import type { Asked, FreeEndpoint } from '../endpoint.ts';
import { findModel } from '../plans.ts';
import { findGeminiToken } from './gemini.ts';
import { isGeminiClient, type Page, readPage, writeGeminiList, writeGeminiModel } from './gemini-models.ts';

type ModelsShape = 'array' | 'openai' | 'anthropic' | 'google';

/** The client's headers and the query choose, unless a setting pins the shape. */
function chooseShape(http: Request, setting: 'auto' | 'array' | 'openai'): ModelsShape {
  if (http.headers.has('anthropic-version')) return 'anthropic';
  const { searchParams } = new URL(http.url);
  if (isGeminiClient(http.headers) || searchParams.has('key')) return 'google';
  if (setting !== 'auto') return setting;
  if (searchParams.get('format') === 'openai') return 'openai';
  for (const name of http.headers.keys()) if (name.startsWith('x-stainless-')) return 'openai';
  return /openai/i.test(http.headers.get('user-agent') ?? '') ? 'openai' : 'array';
}

type Ask = Asked & { readonly shape: ModelsShape; readonly page: Page };

/** A list, or one model where the address names it. */
export const models: FreeEndpoint<Ask, Model | readonly Model[]> = {
  kind: 'free',
  method: 'GET',
  path: '/v1/models',
  otherPaths: ['/v1/models/:id{.+}'],
  scopes: ['inference', 'webchat', 'read'],
  isLimited: false,
  errors: chatErrors,
  errorsFor(headers) {
    if (headers.has('anthropic-version')) return messagesErrors;
    return isGeminiClient(headers) ? googleErrors : chatErrors;
  },
  findToken: findGeminiToken,
  readRequest: ({ http, parameters }, { settings }) => ({
    model: parameters['id'] ?? null,
    stream: false,
    shape: chooseShape(http, settings.modelsShape),
    page: readPage(http),
  }),
  findSubject({ model: name }, { caller, services }) {
    const snapshot = services.catalogue.current();
    return name === null
      ? snapshot.models.filter((model) => mayUse(caller, model))
      : findModel(name, null, caller, snapshot);
  },
  answer: ({ subject, caller, request }) => ({
    body: JSON.stringify(
      'publicId' in subject ? writeOne(subject, caller, request) : writeList(subject, caller, request),
    ),
  }),
};

function writeOne(model: Model, caller: Caller, { shape }: Ask): object {
  if (shape === 'google') return writeGeminiModel(model);
  return shape === 'anthropic' ? writeAnthropicModel(model) : writeModel(model, caller);
}

function writeList(models: readonly Model[], caller: Caller, { shape, page }: Ask): object {
  if (shape === 'google') return writeGeminiList(models, page);
  if (shape === 'anthropic') return writeAnthropicList(models);
  const elements = models.map((model) => writeModel(model, caller));
  return shape === 'openai' ? { object: 'list', data: elements } : elements;
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
