/** What the file says of providers and models, as the catalogue is asked to write it. */
import type { ModelDeclaration, Prices, ProviderDeclaration } from '../catalogue/index.ts';
import type { FileContent } from './file-schema.ts';

export const declareProviders = ({ providers }: FileContent): ProviderDeclaration[] =>
  providers.map(({ name, kind, base_url, region, settings, credentials, timeouts_ms, ...provider }) => {
    const { data_policy: dataClaim } = provider;
    const {
      first_byte: firstByte,
      fail_over: failOver,
      whole_answer: wholeAnswer,
      ...timeouts
    } = timeouts_ms;
    return {
      name,
      kind,
      baseUrl: base_url ?? null,
      region: region ?? null,
      settings,
      dataClaim,
      timeoutsMs: {
        ...timeouts,
        ...(firstByte === undefined ? {} : { firstByte }),
        ...(failOver === undefined ? {} : { failOver }),
        ...(wholeAnswer === undefined ? {} : { wholeAnswer }),
      },
      credentials: credentials.map(({ api_key: secret, max_concurrent, requests_per_minute, ...named }) => ({
        ...{ ...named, secret },
        ...(max_concurrent === undefined ? {} : { maxConcurrent: max_concurrent }),
        ...(requests_per_minute === undefined ? {} : { requestsPerMinute: requests_per_minute }),
      })),
    };
  });

/** The order of the file is the order that clients see. */
export const declareModels = ({ models }: FileContent): ModelDeclaration[] =>
  models.map((model, displayOrder) => ({
    id: model.id,
    type: model.type,
    ownedBy: model.owned_by,
    aliases: model.aliases,
    contextWindow: model.context_window,
    maxOutputTokens: model.max_output_tokens,
    capabilities: model.capabilities,
    rescue: model.rescue,
    prices: model.prices === undefined ? null : (model.prices satisfies Prices),
    priceChanges: model.price_changes,
    deployments: model.providers.map((served) => ({
      provider: served.provider,
      upstreamId: served.upstream_id,
      contextWindow: served.context_window,
      weight: served.weight,
      quantization: served.quantization,
      prices: served.prices === undefined ? null : (served.prices satisfies Prices),
      priceChanges: served.price_changes,
    })),
    routing: model.routing,
    displayOrder,
  }));
