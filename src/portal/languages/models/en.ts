/** The models of the dashboard: the list, a model, and asking one. */
import { countIn } from '../language.ts';

const count = countIn('en');

export const en = {
  title: 'Models',
  shown: (shown: number, all: number) =>
    shown === all
      ? `${count(all, { one: 'model', other: 'models' })}, prices in US dollars for a million tokens`
      : `${shown} of ${count(all, { one: 'model', other: 'models' })}, prices in US dollars for a million tokens`,
  search: 'Name, maker or alias',
  does: 'Abilities',
  outputLimit: 'Output limit',
  firstToken: 'First token',
  speed: 'Tokens a second',
  answered: 'Answered, 7 days',
  answeredShort: 'Answered',
  inputPrice: 'Input price',
  key: 'Key',
  noPrice: 'No price',
  atLeast: (tokens: string) => `at least ${tokens}`,
  atMost: (price: string) => `at most ${price}`,
  measured: 'Times are medians of all requests of the last seven days; from ten requests on.',
  ownUse: 'Your use, 30 days',
  ownUsed: (requests: number, cost: string) =>
    `${count(requests, { one: 'request', other: 'requests' })}, ${cost}`,
};

export type ModelsWords = typeof en;
