/** How the numbers came about, for one who wants to judge them. */
import type { Act, BenchOptions } from '../run/options.ts';
import { mostWarmUpSeconds } from '../run/warm-up.ts';

export function writeMethod(options: BenchOptions): string {
  const paragraphs = [
    "Client, contender, upstream and database share the machine's cores over loopback, and the machine is shared with other work: compare within this page, not with another page, and read the spread before the median. CPU a request is the steadier number; requests/s depends on what the others leave of the cores, and the fast rows (direct, bare, nginx) are held back by client and upstream rather than by themselves.",
    `Each contender has an upstream of its own (\`test/support/upstream\`): a fixed answer, or 100 chunks of server-sent events, each written by itself. ${writeRounds(options)} Cells show the median over the rounds, in brackets the least and the most.`,
    'CPU is user and system time of the contender with all its threads and child processes, from /proc, over the requests that were answered; RSS is at the end of a measurement. Sluice runs as it always does: key check, limits, wallet, usage record and log line for every request; it asks the upstream for the usage of a stream and takes that chunk out again. Its embedded database runs in a thread of its own process and is in its CPU; PostgreSQL is listed apart and runs with fsync, synchronous_commit and full_page_writes off, unless one of your own was named. nginx has one worker, kept upstream connections, no buffering and no access log. Portkey gets provider and host by header, keeps no usage, and waits 25 ms before the first piece of a stream by its own design.',
  ];
  if (options.before !== undefined) paragraphs.push(beforeMethod);
  const ofActs = options.acts.flatMap((act) => actMethods[act] ?? []);
  return [...paragraphs, ...ofActs].join('\n\n');
}

const beforeMethod =
  'The Sluice "before" is an earlier commit in a folder of its own, started in the same run by its own launcher, asked the same by the same tool in turn with this one.';

const actMethods: Readonly<Partial<Record<Act, string>>> = {
  throughput:
    'Collector pauses are read from what JavaScriptCore logs of itself (`BUN_JSC_logGC`), for everyone that runs on Bun. The turns of the event loop and the objects a request makes are measured after the rounds, because their probe (`bench/probe`) costs something: it is loaded in front of the program and rests until it is asked. A turn is the time between two ticks of a timer of 1 ms, less what the kernel let the thread wait for a core. Objects are what the collector knows of after some requests, less what it knew before.',
  slow: 'Some 20,000 chunks a second go through each contender, while a program of its own asks for `/health` every 50 ms. The waits for a core are in what it sees, the same for everyone, and not in the longest turn.',
  conversions:
    'Conversions are measured on one Sluice alone, on PostgreSQL where there is a server, so that the database is no part of its CPU. Its upstream speaks chat completions and messages and is declared twice, as a provider of kind `openai` and one of kind `anthropic`. The same question is asked in both protocols for a model of each. A stream carries the same 98 pieces of text in either protocol, in 100 chunks of chat completions or 104 events of messages; who converts reads one and writes the other. A chunk that is read alone costs more than one of several, and other load on the machine changes how many come at once: the ratios of streams want a quiet machine.',
};

function writeRounds({ rounds, seconds, warmUpRequests }: BenchOptions): string {
  return `After a warm-up of some ${warmUpRequests.whole} whole and ${warmUpRequests.streamed} streamed answers (or ${mostWarmUpSeconds} s of each), ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of ${seconds} s for each scenario and contender, in turn.`;
}
