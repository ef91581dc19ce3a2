/** One run: a gateway, spoiled requests one after another over some connections, and what may be said at the end. */
import { readBooks } from './books.ts';
import { type Composed, Composer } from './compose.ts';
import { type HealthReport, HealthWatch } from './health-watch.ts';
import { type Heard, sendAndJudge } from './judge.ts';
import { openSetting, type Setting } from './setting.ts';
import { soundRequests } from './sound-requests.ts';

export interface FuzzOptions {
  readonly seed: number;
  /** Whichever comes first. */
  readonly seconds: number;
  readonly requests: number;
  /** The number of the first; 0 unless told. */
  readonly from?: number | undefined;
  readonly connections: number;
  /** The most that `/health` may take by the program's own doing, but for one time in a hundred. */
  readonly healthP99Ms: number;
  /** An answer that takes longer is a finding, and one that takes twice as long is not waited for. */
  readonly slowMs: number;
  /** For who waits, or wants to see what is sent. */
  onProgress?(sent: number, last: Composed): void;
}

export interface Finding {
  /** Numbers left out, so that like ones are one. */
  readonly fault: string;
  count: number;
  /** Of the first. */
  readonly number: number;
  readonly endpoint: string;
  readonly model: string;
  readonly done: readonly string[];
}

export interface FuzzReport {
  readonly seed: number;
  readonly sent: number;
  readonly seconds: number;
  /** Answers by endpoint and status; 0 is a client that heard none. */
  readonly answers: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly slowest: readonly {
    readonly number: number;
    readonly endpoint: string;
    readonly tookMs: number;
  }[];
  readonly residentMiB: { readonly start: number; readonly peak: number; readonly end: number };
  readonly health: HealthReport;
  readonly usageRows: number;
  readonly costNanoUsd: string;
  readonly findings: readonly Finding[];
  /** What is not well at the end, besides the findings. */
  readonly complaints: readonly string[];
}

const mostResidentMiB = 1024;
const settleMs = 20_000;
const pollMs = 50;
const slowestKept = 5;

export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const setting = await openSetting(options.seed);
  try {
    return await run(options, setting);
  } finally {
    await setting.stop();
  }
}

async function run(options: FuzzOptions, { program, tokens, depositNanoUsd }: Setting): Promise<FuzzReport> {
  const { seed, healthP99Ms } = options;
  const composer = new Composer(seed, soundRequests(seed), tokens);
  const tally = new Tally();
  const residents = [program.readCost().residentBytes];
  const watch = await HealthWatch.open(program);
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { isWell } = await watch.ask();
      if (!isWell) tally.complain('/health did not answer well');
      residents.push(program.readCost().residentBytes);
      if (program.ending !== undefined) break;
      await Bun.sleep(pollMs);
    }
  })();
  const startMs = performance.now();
  await sendAll(options, composer, tally, program);
  const seconds = (performance.now() - startMs) / 1000;
  await checkGauges(program, tally);
  isOver = true;
  await watching;
  watch.stop();
  residents.push(program.readCost().residentBytes);
  if (program.ending !== undefined) tally.complain(`the gateway died: ${program.ending}`);
  const ending = await program.stop();
  if (ending !== 0) tally.complain(`the gateway ended with ${ending}`);
  checkPrinted(program.printed(), tally);
  const books = await readBooks(program.database.options);
  if (books.costNanoUsd !== books.chargedNanoUsd) {
    tally.complain(`the rows cost ${books.costNanoUsd} and were charged ${books.chargedNanoUsd} nano-USD`);
  }
  if (
    books.depositsNanoUsd !== depositNanoUsd ||
    depositNanoUsd - books.chargedNanoUsd !== books.balanceNanoUsd
  ) {
    tally.complain(
      `the wallets hold ${books.balanceNanoUsd}, not ${depositNanoUsd} less ${books.chargedNanoUsd}`,
    );
  }
  const missing = books.countMissing(tally.settledIds);
  if (missing > 0) tally.complain(`${missing} answers were never booked`);
  const peak = Math.max(...residents);
  if (peak > mostResidentMiB * 1_048_576) tally.complain(`it held more than ${mostResidentMiB} MiB`);
  const health = watch.report();
  if (health.own.p99Ms > healthP99Ms) {
    tally.complain(`/health took more than ${healthP99Ms} ms of the program's own`);
  }
  const inMiB = (bytes = 0) => Math.round(bytes / 1_048_576);
  return {
    seed,
    sent: tally.sent,
    seconds,
    answers: tally.answers,
    slowest: tally.slowest,
    residentMiB: { start: inMiB(residents[0]), peak: inMiB(peak), end: inMiB(residents.at(-1)) },
    health,
    usageRows: books.rows,
    costNanoUsd: String(books.costNanoUsd),
    findings: [...tally.findings.values()],
    complaints: [...tally.complaints],
  };
}

async function sendAll(
  { seed, seconds, requests, from = 0, connections, slowMs, onProgress }: FuzzOptions,
  composer: Composer,
  tally: Tally,
  program: Setting['program'],
): Promise<void> {
  const until = performance.now() + seconds * 1000;
  let next = from;
  const end = from + requests;
  const sendOnAndOn = async () => {
    while (next < end && performance.now() < until && program.ending === undefined) {
      const composed = composer.compose(next);
      next += 1;
      tally.count(composed, await sendAndJudge(composed, { url: program.url, seed, slowMs }));
      onProgress?.(tally.sent, composed);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendOnAndOn));
}

/** Clients that have left are noticed a moment later. */
async function checkGauges(program: Setting['program'], tally: Tally): Promise<void> {
  const until = performance.now() + settleMs;
  let underWay = 'unknown';
  while (performance.now() < until && program.ending === undefined) {
    const text = await program.metrics().catch(() => '');
    underWay = /^sluice_requests_under_way (\S+)$/m.exec(text)?.[1] ?? 'unknown';
    if (underWay === '0') return;
    await Bun.sleep(pollMs);
  }
  tally.complain(`${underWay} requests are under way after the last one`);
}

/** Warnings are upstreams' failures, which were wanted; what is an error, or no line of the log, is ours. */
function checkPrinted(printed: string, tally: Tally): void {
  for (const line of printed.split('\n')) {
    if (line.includes('"level":"error"')) tally.complain(`logged: ${line.slice(0, 2000)}`);
    else if (/unhandled|uncaught|panic|Error:|segmentation/i.test(line))
      tally.complain(`printed: ${line.slice(0, 500)}`);
  }
}

class Tally {
  sent = 0;
  readonly answers: Record<string, Record<string, number>> = {};
  readonly findings = new Map<string, Finding>();
  readonly complaints = new Set<string>();
  readonly settledIds = new Set<string>();
  slowest: { number: number; endpoint: string; tookMs: number }[] = [];

  count({ number, endpoint, model, done }: Composed, { status, tookMs, settledId, faults }: Heard): void {
    this.sent += 1;
    const ofEndpoint = this.answers[endpoint] ?? {};
    this.answers[endpoint] = ofEndpoint;
    ofEndpoint[status] = (ofEndpoint[status] ?? 0) + 1;
    if (settledId !== undefined) this.settledIds.add(settledId);
    for (const text of faults) {
      const fault = text.replace(/\d{4,}|[0-9a-f]{8}-[0-9a-f-]{27}/g, '…');
      const known = this.findings.get(`${endpoint} ${fault}`);
      if (known === undefined)
        this.findings.set(`${endpoint} ${fault}`, { fault, count: 1, number, endpoint, model, done });
      else known.count += 1;
    }
    if (tookMs <= (this.slowest.at(-1)?.tookMs ?? 0) && this.slowest.length >= slowestKept) return;
    this.slowest = [...this.slowest, { number, endpoint, tookMs }]
      .sort((one, other) => other.tookMs - one.tookMs)
      .slice(0, slowestKept);
  }

  complain(complaint: string): void {
    const like = complaint.replace(/"(time|requestId)":"[^"]*"/g, '');
    if (this.complaints.size < 50) this.complaints.add(like);
  }
}
