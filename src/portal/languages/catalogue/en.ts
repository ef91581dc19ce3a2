/** The catalogue of models. */
import type { Child } from 'hono/jsx';
import { countIn } from '../language.ts';

const count = countIn('en');

export const en = {
  title: 'Models',
  description: 'Every model that this service offers: context, abilities, providers and prices, to compare.',
  modelDescription: (model: string, owner: string) =>
    `${model} of ${owner}: context, prices, providers, and a request to copy.`,
  counted: (models: number) => count(models, { one: 'model', other: 'models' }),
  lead: (counted: string) =>
    `${counted}, as the gateway serves them now. Prices are in US dollars for a million tokens unless a cell says otherwise.`,
  priceUnits: 'in US dollars for a million tokens unless a cell says otherwise',
  search: 'Search models',
  all: 'All',
  type: 'Type',
  types: {
    chat: 'Chat',
    embedding: 'Embedding',
    rerank: 'Reranking',
    transcription: 'Transcription',
    speech: 'Speech',
  },
  capability: 'Ability',
  capabilities: { tools: 'Tools', vision: 'Images', reasoning: 'Reasoning', thinking: 'Shown thinking' },
  compare: 'Compare selected',
  compareFew: 'Tick two or more to compare',
  /** Of two or more. */
  compareMany: (models: number) => `Compare ${models} models`,
  compareColumn: 'Compare',
  compareTick: 'Compare',
  compareThis: (model: string) => `Compare ${model}`,
  compared: 'Compared',
  endComparison: 'End the comparison',
  onlyFour: 'Four fit beside each other: the first four that were ticked are shown.',
  none: 'No model matches',
  showAll: 'Show all models',
  model: 'Model',
  owner: 'Made by',
  aliases: 'Other names',
  context: 'Context',
  longestAnswer: 'Longest answer',
  tokens: (number: string) => `${number} tokens`,
  input: 'Input',
  output: 'Output',
  yes: 'Yes',
  no: 'No',
  free: 'Free',
  prices: 'Prices',
  what: 'For',
  price: 'Price',
  pricesDetail:
    'Counts never overlap: what a cache served is not input again, and reasoning is a part of output.',
  variantPrices: (number: number) =>
    `${count(number, { one: 'other price', other: 'other prices' })} for tiers and long prompts`,
  per: {
    millionTokens: 'per million',
    minute: 'per minute',
    millionCharacters: 'per million characters',
    thousandSearches: 'per 1,000 searches',
    thousandCalls: 'per 1,000 calls',
    one: 'each',
  },
  meters: {
    input: 'Input',
    cached_input: 'Input from the cache',
    cache_write_5m: 'Written to the cache for 5 minutes',
    cache_write_1h: 'Written to the cache for an hour',
    output: 'Output',
    reasoning: 'Reasoning',
    audio_input: 'Sound in the input',
    audio_output: 'Sound in the output',
    image_output: 'Images in the output',
    audio_second: 'Audio',
    character: 'Text to speak',
    rerank_unit: 'Reranking',
    web_search: 'Search of the web',
    file_search: 'Search of files',
    container: 'Containers',
    image: 'Images',
  },
  tier: (name: string) => `tier ${name}`,
  above: (thousands: string) => `prompts above ${thousands},000 tokens`,
  request: 'A request',
  requestDetail: (variable: Child): Child => ['The variable ', variable, ' holds your API token.'],
  providers: 'Providers',
  provider: 'Provider',
  region: 'Region',
  order: 'Order',
  providersDetail:
    'They are tried in this order, until the first content of an answer. A key can be locked to providers and regions.',
};

export type CatalogueWords = typeof en;
