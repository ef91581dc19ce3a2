/** From the words of the configuration file to what the rooms below are asked to write. */
import type { ModelDeclaration, Prices, ProviderDeclaration } from '../../catalogue/index.ts';
import type { FileContent } from './file-schema.ts';

export const declareProviders = ({ providers }: FileContent): ProviderDeclaration[] =>
  providers.map(({ name, kind, base_url, region, settings, credentials, timeouts_ms }) => {
    const { first_byte: firstByte, whole_answer: wholeAnswer, ...timeouts } = timeouts_ms;
    return {
      name,
      kind,
      baseUrl: base_url ?? null,
      region: region ?? null,
      settings,
      timeoutsMs: {
        ...timeouts,
        ...(firstByte === undefined ? {} : { firstByte }),
        ...(wholeAnswer === undefined ? {} : { wholeAnswer }),
      },
      credentials: credentials.map((credential) => ({ name: credential.name, secret: credential.api_key })),
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
    prices: model.prices === undefined ? null : (model.prices satisfies Prices),
    deployments: model.providers.map(({ provider, upstream_id }) => ({ provider, upstreamId: upstream_id })),
    displayOrder,
  }));
