/**
 * Members of a request that choose the model, the host, the credential or the price behind an upstream, and that a
 * caller must therefore not send to it: the caller's key, its locks and its bill are for the model that it named.
 *
 * They are refused by name and never left out in silence, since whoever sends one relies on it. A kind of provider lists
 * what its own hosts obey; a row with an address of its own may be any host at all, a router included, so it gets the
 * lists of all.
 */
import { withoutCase } from '../protocols/json/body.ts';

export interface ClosedMembers {
  readonly source: string;
  /** The month in which the list was last compared with the source. */
  readonly asOf: string;
  readonly names: readonly string[];
  /** How families of members begin, where the host takes any of them. */
  readonly prefixes?: readonly string[];
}

/** Other models to fall back on, other hosts and what they may cost, plugins that search the web, stored presets. */
export const openrouterMembers: ClosedMembers = {
  source: 'https://openrouter.ai/docs/api-reference/parameters, /docs/guides/routing/model-fallbacks',
  asOf: '2026-11',
  names: ['models', 'route', 'provider', 'plugins', 'transforms', 'preset', 'fallbacks'],
};

/** Every argument of its `completion` function can stand in the body: address, credentials, fallbacks, made-up answers. */
export const litellmMembers: ClosedMembers = {
  source:
    'https://docs.litellm.ai/docs/completion/input, /docs/completion/reliable_completions, /docs/proxy/clientside_auth, /docs/proxy/client_side_fallbacks',
  asOf: '2026-11',
  names: [
    ...[
      'fallbacks',
      'context_window_fallbacks',
      'context_window_fallback_dict',
      'content_policy_fallbacks',
      'default_fallbacks',
      'num_retries',
    ],
    ...['api_base', 'base_url', 'api_key', 'api_version', 'api_type', 'custom_llm_provider', 'organization'],
    ...['extra_body', 'extra_headers', 'extra_query', 'headers', 'model_list', 'model_info', 'user_config'],
    ...[
      'base_model',
      'region_name',
      'specific_deployment',
      'deployment_id',
      'hf_model_name',
      'tags',
      'cache',
    ],
    ...['input_cost_per_token', 'output_cost_per_token', 'input_cost_per_second', 'output_cost_per_second'],
    ...['allowed_model_region', 'prompt_id', 'prompt_variables', 'secret_fields', 'use_litellm_proxy'],
    ...['allowed_openai_params', 'additional_drop_params', 'guardrails', 'proxy_server_request', 'callbacks'],
    ...['success_callback', 'failure_callback', 'no-log', 'client', 'use_in_pass_through', 'budget_duration'],
  ],
  prefixes: ['mock_', 'aws_', 'azure_', 'vertex_', 'litellm_', 'watsonx_', 's3_', 'langfuse_'],
};

/** Which models its compound systems work with. */
export const groqMembers: ClosedMembers = {
  source: 'https://console.groq.com/docs/api-reference#chat-create',
  asOf: '2026-11',
  names: ['compound_custom'],
};

/** Searches of the web, which no answer counts. */
export const alibabaMembers: ClosedMembers = {
  source: 'https://www.alibabacloud.com/help/en/model-studio/web-search',
  asOf: '2026-11',
  names: ['enable_search', 'search_options'],
};

/** Other models to fall back on, presets that choose models and tools, and skills that run in a sandbox. */
export const perplexityMembers: ClosedMembers = {
  source: 'https://docs.perplexity.ai/docs/agent-api/presets, /docs/agent-api/model-fallback',
  asOf: '2026-11',
  names: ['models', 'preset', 'skills'],
};

/** Answers that are made after the request has ended, which nobody here could count. */
export const xaiMembers: ClosedMembers = {
  source: 'https://docs.x.ai/docs/guides/deferred-chat-completions',
  asOf: '2026-11',
  names: ['deferred'],
};

/** Where the cache of attention is fetched from, and who goes first. */
export const vllmMembers: ClosedMembers = {
  source: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server',
  asOf: '2026-11',
  names: ['kv_transfer_params', 'priority', 'vllm_xargs', 'request_id'],
};

/** Adapters of the model by their path, code for its sampling, other hosts to fetch from. */
export const sglangMembers: ClosedMembers = {
  source: 'https://docs.sglang.io/docs/basic_usage/sampling_params',
  asOf: '2026-11',
  names: [
    ...[
      'lora_path',
      'lora_id',
      'custom_logit_processor',
      'custom_params',
      'session_params',
      'rid',
      'priority',
    ],
    ...['bootstrap_host', 'bootstrap_port', 'bootstrap_room', 'bootstrap_pair_key', 'data_parallel_rank'],
    ...['routed_dp_rank', 'disagg_prefill_dp_rank'],
  ],
};

/** Adapters of the model, and a place in the server that others use too. */
export const llamacppMembers: ClosedMembers = {
  source: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
  asOf: '2026-11',
  names: ['lora', 'id_slot', 'slot_id'],
};

/** How long a model stays in memory, and another model that drafts for it. */
export const localMembers: ClosedMembers = {
  source: 'https://lmstudio.ai/docs/developer/core/ttl-and-auto-evict, https://docs.ollama.com/api/chat',
  asOf: '2026-11',
  names: ['ttl', 'draft_model', 'keep_alive'],
};

/** Other models that answer when the one that was named refuses. */
export const anthropicMembers: ClosedMembers = {
  source: 'https://platform.claude.com/docs/en/api/messages',
  asOf: '2026-11',
  names: ['fallbacks'],
};

/** Searches in stores of the account, with credentials in the request. */
const azureMembers: ClosedMembers = {
  source: 'https://learn.microsoft.com/en-us/azure/ai-foundry/openai/references/on-your-data',
  asOf: '2026-11',
  names: ['data_sources', 'dataSources'],
};

/** Of gateways that have no kind of their own here and stand behind a row of kind `openai`. */
const gatewayMembers: ClosedMembers = {
  source:
    'https://portkey.ai/docs/api-reference/inference-api/config-object, https://localai.io/features, https://docs.keywordsai.co, https://docs.orq.ai/docs/proxy/fallbacks',
  asOf: '2026-11',
  names: [
    ...[
      'config',
      'virtual_key',
      'targets',
      'strategy',
      'fallback_models',
      'fallback_config',
      'load_balance_group',
    ],
    ...[
      'customer_credentials',
      'credential_override',
      'backend',
      'model_base_name',
      'providerOptions',
      'orq',
    ],
  ],
};

const everyList: readonly ClosedMembers[] = [
  ...[
    openrouterMembers,
    litellmMembers,
    groqMembers,
    alibabaMembers,
    perplexityMembers,
    xaiMembers,
    vllmMembers,
    sglangMembers,
    llamacppMembers,
  ],
  ...[localMembers, anthropicMembers, azureMembers, gatewayMembers],
];

/** Finds a member of a request that is closed at a provider, case aside: there are hosts that take `Models` for `models`. */
export type FindClosed = (members: Readonly<Record<string, unknown>>) => string | undefined;

interface Adapter {
  readonly closedMembers?: ClosedMembers;
}

/** @param baseUrl the row's own; null where the kind's default is meant. */
export function closedMembersAt(adapter: Adapter, baseUrl: string | null): FindClosed {
  if (baseUrl !== null) return findAnywhere;
  const known =
    finders.get(adapter) ?? finderOf(adapter.closedMembers === undefined ? [] : [adapter.closedMembers]);
  finders.set(adapter, known);
  return known;
}

/** Names that are remembered as open, and how long they may be: callers choose them. */
const mostKnown = 500;
const longestKnown = 64;

const finders = new WeakMap<Adapter, FindClosed>();
const findAnywhere = finderOf(everyList);

function finderOf(lists: readonly ClosedMembers[]): FindClosed {
  const closed = new Set(lists.flatMap(({ names }) => names.map(withoutCase)));
  const prefixes = lists.flatMap(({ prefixes: each = [] }) => each.map(withoutCase));
  const isClosed = (name: string) => {
    const plain = withoutCase(name);
    return closed.has(plain) || prefixes.some((prefix) => plain.startsWith(prefix));
  };
  /** Requests have the same few members again and again. */
  const open = new Set<string>();
  return (members) => {
    for (const name in members) {
      // Null stands for an absent field, as the official clients send it.
      if (open.has(name) || members[name] === null) continue;
      if (isClosed(name)) return name;
      if (open.size < mostKnown && name.length <= longestKnown) open.add(name);
    }
    return undefined;
  };
}
