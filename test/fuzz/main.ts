/** `npm run fuzz`: a run from the command line, with a table at its end. */
import { parseArgs } from 'node:util';
import type { Composed } from './compose.ts';
import { type FuzzReport, runFuzz } from './fuzz.ts';
import type { Spread } from './health-watch.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seconds: { type: 'string', default: '120' },
    requests: { type: 'string', default: '1000000000' },
    connections: { type: 'string', default: '24' },
    from: { type: 'string' },
    only: { type: 'string' },
    'health-ms': { type: 'string', default: '1000' },
    json: { type: 'boolean', default: false },
  },
});

const seed = wholeNumber('seed', values.seed ?? String(crypto.getRandomValues(new Uint32Array(1))[0]));
process.stderr.write(`seed ${seed}\n`);
let toldAtMs = performance.now();
const report = await runFuzz({
  seed,
  seconds: wholeNumber('seconds', values.seconds),
  requests: values.only === undefined ? wholeNumber('requests', values.requests) : 1,
  connections: wholeNumber('connections', values.connections),
  from: wholeNumber('from', values.only ?? values.from ?? '0'),
  // Longer than any of the timeouts that failing upstreams have.
  slowMs: 15_000,
  healthP99Ms: wholeNumber('health-ms', values['health-ms']),
  onProgress(sent, last) {
    if (values.only !== undefined) show(last);
    if (performance.now() - toldAtMs < 10_000) return;
    toldAtMs = performance.now();
    process.stderr.write(`${sent} sent\n`);
  },
});
process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : writeTable(report));
process.exitCode = report.findings.length + report.complaints.length === 0 ? 0 : 1;

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  process.stderr.write(`--${name} takes a whole number, not "${text}"\n`);
  return process.exit(2);
}

function show({ method, path, headers, body, manner }: Composed): void {
  const lines = headers.map(([name, value]) => `${name}: ${name === 'authorization' ? '…' : value}`);
  const text = body?.toString('utf8').slice(0, 4000) ?? '';
  process.stderr.write(`${[`${method} ${path}`, ...lines, JSON.stringify(manner), '', text].join('\n')}\n`);
}

function writeTable(told: FuzzReport): string {
  const { answers, residentMiB, health, findings, complaints, slowest } = told;
  const rows = Object.entries(answers).sort(([one], [other]) => one.localeCompare(other));
  const width = Math.max(...rows.map(([endpoint]) => endpoint.length), 8);
  const lines = rows.map(([endpoint, byStatus]) => {
    const counts = Object.entries(byStatus).map(
      ([status, count]) => `${status === '0' ? 'none' : status}×${count}`,
    );
    return `${endpoint.padEnd(width)}  ${counts.join('  ')}`;
  });
  return [
    ...lines,
    '',
    `${told.sent} requests in ${told.seconds.toFixed(1)} s, seed ${told.seed}`,
    `memory: ${residentMiB.start} MiB at first, ${residentMiB.peak} at most, ${residentMiB.end} at last`,
    `/health, asked ${health.asked} times (half, 99 of 100, longest): ${writeSpread(health.heard)}; an idle program at the same moments ${writeSpread(health.idle)}; less that and the waits for a core ${writeSpread(health.own)}`,
    `booked: ${told.usageRows} rows, ${told.costNanoUsd} nano-USD`,
    `slowest: ${slowest.map(({ number, endpoint, tookMs }) => `${number} (${endpoint}) ${tookMs.toFixed(0)} ms`).join(', ')}`,
    ...findings.map(
      ({ fault, count, number, endpoint, model, done }) =>
        `FOUND ${count}×, first at --only ${number}: ${endpoint} for ${model.slice(0, 40)} (${done.join(', ') || 'nothing spoiled'}): ${fault}`,
    ),
    ...complaints.map((complaint) => `WRONG ${complaint}`),
    findings.length + complaints.length === 0 ? 'all well' : 'not well',
    '',
  ].join('\n');
}

function writeSpread({ p50Ms, p99Ms, maxMs }: Spread): string {
  return `${[p50Ms, p99Ms, maxMs].map((ms) => ms.toFixed(1)).join(' / ')} ms`;
}
