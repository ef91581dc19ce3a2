/** Models as Gemini's clients read them: under `/v1beta`, and under `/v1` for those who send a header of Google's. */
import type { Model } from '../../catalogue/index.ts';
import { googleErrors } from '../../protocols/google/errors.ts';
import { mayUse } from '../admit.ts';
import type { Asked, FreeEndpoint } from '../endpoint.ts';
import { findModel } from '../plans.ts';
import { findGeminiToken } from './gemini.ts';

/** The most that Google's own list gives at once. */
const mostModels = 1000;
const usualModels = 50;

export interface Page {
  /** A first page has none. */
  readonly after: string | null;
  readonly size: number;
}

/** Whether a request to an address of several protocols is one of Google's clients. */
export const isGeminiClient = (headers: Headers): boolean =>
  headers.has('x-goog-api-key') || headers.has('x-goog-api-client');

export function readPage({ url }: Request): Page {
  const { searchParams } = new URL(url);
  const asked = Number(searchParams.get('pageSize') ?? usualModels);
  const size = Number.isSafeInteger(asked) && asked > 0 ? Math.min(asked, mostModels) : usualModels;
  return { after: searchParams.get('pageToken'), size };
}

/** The token of a page is the id of the last model before it, so that it holds while models come and go. */
export function writeGeminiList(models: readonly Model[], { after, size }: Page): object {
  const start = after === null ? 0 : models.findIndex(({ publicId }) => publicId === after) + 1;
  const page = models.slice(start, start + size);
  const last = page.at(-1);
  const hasMore = start + size < models.length && last !== undefined;
  return {
    models: page.map(writeGeminiModel),
    ...(hasMore ? { nextPageToken: last.publicId } : {}),
  };
}

export function writeGeminiModel(model: Model): object {
  const { publicId, type, contextWindow, maxOutputTokens, capabilities } = model;
  const isChat = type === 'chat';
  return {
    name: `models/${publicId}`,
    baseModelId: publicId,
    version: '001',
    displayName: publicId,
    description: `${publicId}, by ${model.ownedBy}`,
    ...(contextWindow === null ? {} : { inputTokenLimit: contextWindow }),
    ...(maxOutputTokens === null ? {} : { outputTokenLimit: maxOutputTokens }),
    supportedGenerationMethods: isChat ? ['generateContent', 'streamGenerateContent', 'countTokens'] : [],
    ...(isChat ? { thinking: capabilities.includes('thinking') || capabilities.includes('reasoning') } : {}),
  };
}

type Ask = Asked & { readonly page: Page };

export const geminiModels: FreeEndpoint<Ask, Model | readonly Model[]> = {
  kind: 'free',
  method: 'GET',
  path: '/v1beta/models',
  otherPaths: ['/v1beta/models/:id{.+}'],
  scopes: ['inference', 'webchat', 'read'],
  isLimited: false,
  errors: googleErrors,
  findToken: findGeminiToken,
  readRequest: ({ http, parameters }) => ({
    model: parameters['id'] ?? null,
    stream: false,
    page: readPage(http),
  }),
  findSubject({ model: name }, { caller, services }) {
    const snapshot = services.catalogue.current();
    return name === null
      ? snapshot.models.filter((model) => mayUse(caller, model))
      : findModel(name, null, caller, snapshot);
  },
  answer: ({ subject, request: { page } }) => ({
    body: JSON.stringify('publicId' in subject ? writeGeminiModel(subject) : writeGeminiList(subject, page)),
  }),
};
