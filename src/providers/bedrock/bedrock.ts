/** Amazon Bedrock: the models of many vendors behind the Converse API. */
import { converseUpstream } from '../../protocols/converse/protocol.ts';
import { parseJsonObject } from '../../protocols/json/body.ts';
import { asObject, asTexts, asTokenCount } from '../../protocols/json/fields.ts';
import type { CountTokensUpstream, UpstreamProtocol } from '../../protocols/protocol.ts';
import {
  jsonHeaders,
  type ProviderAdapter,
  probeModel,
  probeTask,
  refuseOthers,
  type UpstreamAddress,
  type UpstreamTask,
} from '../provider.ts';
import { authorize, baseUrlIn, checkCredential, checkPlace, defaultBaseUrl, isRegion } from './authorize.ts';
import { receive } from './receive.ts';

export const bedrock: ProviderAdapter = {
  kind: 'bedrock',
  defaultBaseUrl,
  needsCredential: true,
  checkSettings(settings) {
    refuseOthers(settings, ['region', 'buckets']);
    const { region, buckets } = settings;
    if (region !== undefined && !isRegion(region)) {
      throw new Error('region: expected a region of AWS, such as eu-central-1');
    }
    if (buckets !== undefined && !(Array.isArray(buckets) && asTexts(buckets).length === buckets.length)) {
      throw new Error('buckets: expected a list of names of S3 buckets');
    }
  },
  checkPlace,
  checkCredential,
  async probes(target, model) {
    if (model?.type !== 'chat') return [];
    const body = {
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
      inferenceConfig: { maxTokens: 1 },
    };
    const task = { ...probeTask(target, model.upstreamId), body: JSON.stringify(body) };
    return [probeModel(await address(task), model, body)];
  },
  supports: (settings) => {
    const protocol = protocolFor(settings);
    return {
      chat: [{ protocol, address, receive }],
      countTokens: { protocol: converseCount(protocol), address: addressCount },
    };
  },
};

const closed = converseUpstream();

/** Buckets are closed to callers unless the operator names them: what is in them is read with the account's rights. */
function protocolFor({ buckets }: Readonly<Record<string, unknown>>): UpstreamProtocol {
  const named = asTexts(buckets);
  return named.length === 0 ? closed : converseUpstream(named);
}

/** Ids hold colons, and slashes where they are ARNs; encoded they are one step of the path. */
async function address({ target, model, stream, body }: UpstreamTask): Promise<UpstreamAddress> {
  const path = `/model/${encodeURIComponent(model)}/${stream ? 'converse-stream' : 'converse'}`;
  const url = `${baseUrlIn(target)}${path}`;
  return {
    url,
    headers: { ...jsonHeaders, ...acceptFor(stream), ...(await authorize({ target, url, body })) },
  };
}

/** Counts for models alone, not for the profiles that lead to them in a part of the world. */
async function addressCount({ target, model, body }: UpstreamTask): Promise<UpstreamAddress> {
  const bare = model.replace(/^(?:us-gov|us|eu|apac|jp|au|ca|global)\./, '');
  const url = `${baseUrlIn(target)}/model/${encodeURIComponent(bare)}/count-tokens`;
  return { url, headers: { ...jsonHeaders, ...(await authorize({ target, url, body })) } };
}

const acceptFor = (stream: boolean): { accept: string } => ({
  accept: stream ? 'application/vnd.amazon.eventstream' : 'application/json',
});

/** @param chat Converse. */
export function converseCount(chat: UpstreamProtocol): CountTokensUpstream {
  return {
    chat,
    writeRequest(chatBody) {
      const { messages, system, toolConfig, additionalModelRequestFields } = parseJsonObject(chatBody);
      const converse = { messages, system, toolConfig, additionalModelRequestFields };
      return JSON.stringify({ input: { converse } });
    },
    readCount: (json) => asTokenCount(asObject(json)?.['inputTokens']) ?? null,
  };
}
