import { expect, test } from 'bun:test';
import { noUsage } from '../base/token-usage.ts';
import { GenerationRates, HiddenReasoning } from './hidden-reasoning.ts';

type Parts = ConstructorParameters<typeof HiddenReasoning>;
type Deployment = Parts[1]['call']['candidate']['deployment'];

const deploymentOf = (upstreamId: string, id = 1) =>
  ({ upstreamId, provider: { id } }) as unknown as Deployment;

interface Given {
  readonly upstreamId?: string;
  readonly json?: object;
  readonly beforeContent?: number;
  readonly all?: number;
  readonly elapsedMs?: number;
  readonly upstream?: string;
  readonly maxOutputTokens?: number | null;
  readonly contextWindow?: number | null;
  readonly rates?: GenerationRates;
}

function hidden(given: Given = {}) {
  const { upstreamId = 'gpt-5.5', json = {}, upstream = 'chat-completions', beforeContent = 11_000 } = given;
  const { maxOutputTokens = 100_000, contextWindow = null, all = beforeContent } = given;
  const request = { json, text: '' };
  const model = { maxOutputTokens, contextWindow, capabilities: ['reasoning'] };
  const asked = { request, client: 'chat-completions', upstream, model, sentJson: () => json };
  const deployment = deploymentOf(upstreamId);
  const call = {
    candidate: { deployment },
    elapsedMs: given.elapsedMs ?? all,
    workedMs: { beforeContent, all },
  };
  const rates = given.rates ?? new GenerationRates();
  return new HiddenReasoning(asked as unknown as Parts[0], { call, rates } as unknown as Parts[1]);
}

const cut = (given: Given, shown = 0, showsThoughts = false) =>
  hidden(given).cut({ showsThoughts, usageSoFar: null })(shown);

/** Tokens a second. */
function measured(rate: number, upstreamId = 'gpt-5.5'): GenerationRates {
  const rates = new GenerationRates();
  rates.learn(deploymentOf(upstreamId), { outputTokens: rate * 10, ms: 10_000, idleMs: 0 });
  return rates;
}

test('without a measure a cautious pace holds for the time before the first content', () => {
  expect(cut({})).toBe(200);
  expect(cut({ beforeContent: 900 })).toBe(0);
  // So little shows no pace.
  expect(cut({ all: 12_000 }, 99)).toBe(200);
});

test('the pace of the stream itself holds once there is enough of it', () => {
  expect(cut({ all: 13_000 }, 200)).toBe(1000);
});

test('a measured pace tells all that was generated, of which what was shown is taken off', () => {
  const rates = measured(50);
  expect(cut({ rates, all: 20_000 }, 300)).toBe(700);
  expect(cut({ rates, all: 20_000 }, 5000)).toBe(0);
  expect(cut({ rates: measured(50, 'other'), beforeContent: 11_000 })).toBe(200);
});

test('no more than could have been generated', () => {
  const rates = measured(1000);
  expect(cut({ rates, json: { max_completion_tokens: 500 } }, 100)).toBe(400);
  expect(cut({ rates, json: { max_completion_tokens: 500, n: 3 } }, 100)).toBe(1400);
  expect(cut({ rates, json: { max_tokens: 1_000_000 }, maxOutputTokens: 4000 })).toBe(4000);
  expect(cut({ rates, maxOutputTokens: null, contextWindow: 3000 })).toBe(3000);
  expect(cut({ rates: measured(9000), maxOutputTokens: null })).toBe(32_000);
  expect(cut({ rates, json: { max_tokens: 500 } }, 600)).toBe(0);
  expect(cut({ rates, json: { reasoning: { effort: 'low', max_tokens: 700 } } })).toBe(700);
});

test('nothing where nothing was hidden', () => {
  expect(cut({ json: { reasoning_effort: 'none' } })).toBe(0);
  expect(cut({ upstreamId: 'gpt-4o' })).toBe(0);
  expect(cut({ upstreamId: 'deepseek-r1' }, 0, true)).toBe(0);
  expect(cut({ upstreamId: 'deepseek-r1' })).toBe(200);
});

test('nothing where the upstream counts what is thought as it goes', () => {
  const usageSoFar = { ...noUsage, reasoningTokens: 7 };
  expect(hidden().cut({ showsThoughts: false, usageSoFar })(0)).toBe(0);
  const gemini = { upstreamId: 'gemini-3.1-pro', upstream: 'google' };
  expect(hidden(gemini).cut({ showsThoughts: false, usageSoFar: noUsage })(0)).toBe(0);
  expect(cut(gemini)).toBe(200);
  expect(hidden().cut({ showsThoughts: false, usageSoFar: noUsage })(0)).toBe(200);
});

test('a pace is learnt from answers that say something of it', () => {
  const learnt = (given: Given, tokens = 1000) => {
    const rates = new GenerationRates();
    hidden({ ...given, rates }).learn(tokens);
    return rates.of(deploymentOf('gpt-5.5'));
  };
  expect(learnt({ beforeContent: 10_000 })).toBe(100);
  expect(learnt({ beforeContent: 900 })).toBeNull();
  expect(learnt({}, 99)).toBeNull();
  expect(learnt({ json: { n: 2 } })).toBeNull();
  // Its client took its time.
  expect(learnt({ beforeContent: 7000, elapsedMs: 10_000 })).toBeNull();
  expect(learnt({ beforeContent: 9000, elapsedMs: 10_000 })).toBe(100);
});

test('new measures move the mean by a fifth, and the deployments remembered are bounded', () => {
  const rates = measured(100);
  rates.learn(deploymentOf('gpt-5.5'), { outputTokens: 2000, ms: 10_000, idleMs: 0 });
  expect(rates.of(deploymentOf('gpt-5.5'))).toBe(120);
  for (let id = 2; id <= 10_001; id += 1) {
    rates.learn(deploymentOf('gpt-5.5', id), { outputTokens: 1000, ms: 10_000, idleMs: 0 });
  }
  expect(rates.of(deploymentOf('gpt-5.5'))).toBeNull();
  expect(rates.of(deploymentOf('gpt-5.5', 10_001))).toBe(100);
});
