/** Runs the double alone, for the bench: `bun test/support/upstream/main.ts --port 9001 --tokens 100`. */
import { parseArgs } from 'node:util';
import { startUpstream } from './upstream.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    tokens: { type: 'string', default: '100' },
    'prompt-tokens': { type: 'string' },
    'header-delay-ms': { type: 'string', default: '0' },
    'first-delay-ms': { type: 'string', default: '0' },
    'chunk-delay-ms': { type: 'string', default: '0' },
  },
});

const promptTokens = values['prompt-tokens'];
const upstream = startUpstream({
  port: wholeNumber('port', values.port),
  keepRequests: 0,
  reusesPlans: true,
  defaultAnswer: {
    generate: {
      tokens: wholeNumber('tokens', values.tokens),
      ...(promptTokens !== undefined && { promptTokens: wholeNumber('prompt-tokens', promptTokens) }),
    },
    shape: {
      headerDelayMs: wholeNumber('header-delay-ms', values['header-delay-ms']),
      firstDelayMs: wholeNumber('first-delay-ms', values['first-delay-ms']),
      chunkDelayMs: wholeNumber('chunk-delay-ms', values['chunk-delay-ms']),
    },
  },
});

process.stdout.write(`${JSON.stringify({ url: upstream.url, port: upstream.port })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    process.stdout.write(`${JSON.stringify(upstream.counts)}\n`);
    upstream.stop();
    process.exit(0);
  });
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  process.stderr.write(`--${name} takes a whole number, not "${text}"\n`);
  return process.exit(2);
}
