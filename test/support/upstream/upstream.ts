/** The upstream double: a model provider on loopback that answers by script and keeps its own books. */
import type { Answer } from './answer.ts';
import { planSteps } from './delivery/plan-steps.ts';
import { type Audience, Playback } from './delivery/playback.ts';
import type { ReceivedRequest } from './exchange.ts';
import type { Connection } from './http/connection.ts';
import type { HttpRequest } from './http/request-reader.ts';
import { listen } from './http/server.ts';
import { Inbox } from './inbox.ts';
import { wholeReply } from './reply.ts';
import { Responder } from './responder.ts';
import { type Answering, Script } from './script.ts';
import type { Counts } from './usage.ts';

export interface UpstreamOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly defaultAnswer?: Answering;
  /** What `GET /v1/models` lists. */
  readonly models?: readonly string[];
  /** How many of the latest requests stay in `requests`; 10,000 unless told. */
  readonly keepRequests?: number;
  /** Like requests share one made-up answer, ids included: cheap enough for a bench. */
  readonly reusesPlans?: boolean;
}

export interface Upstream {
  /** Ends in `/v1`. */
  readonly url: string;
  readonly port: number;
  /** In order of arrival. */
  readonly requests: readonly ReceivedRequest[];
  /** Also served as JSON at `/double/counts`, uncounted, for a client in another process. */
  readonly counts: Readonly<Counts>;
  readonly connections: { readonly accepted: number; readonly open: number };
  /** Answers still under way. */
  readonly inFlight: number;
  /** Queued answers that no request has taken yet. */
  readonly queued: number;
  /** Each is given once, in order, before any rule or the default. */
  enqueue(...answers: readonly Answer[]): void;
  forModel(model: string, answer: Answering): void;
  /** A later rule goes before an earlier one. */
  when(matches: (request: ReceivedRequest) => boolean, answer: Answering): void;
  byDefault(answer: Answering): void;
  /** The request of that number (from 1), as soon as it has arrived. */
  received(number: number): Promise<ReceivedRequest>;
  /** Forgets script, requests and counts; the default answer is again the one it started with. */
  forget(): void;
  /** Resets every connection and frees the port. */
  stop(): void;
}

const usualKept = 10_000;

export function startUpstream(options: UpstreamOptions = {}): Upstream {
  const script = new Script(options.defaultAnswer ?? {});
  const inbox = new Inbox(options.keepRequests ?? usualKept);
  const responder = new Responder({
    script,
    models: options.models ?? ['double-1'],
    reusesPlans: options.reusesPlans ?? false,
  });
  const playing = new Set<Playback>();

  const answer = (request: HttpRequest, connection: Connection): void => {
    if (request.target === '/double/counts') {
      tellCounts(inbox.counts, connection);
      return;
    }
    const exchange = inbox.add(request);
    const steps = responder.respond(exchange);
    inbox.announce(exchange);
    const audience: Audience = {
      saying: (piece) => exchange.saying(piece),
      end(outcome) {
        playing.delete(playback);
        exchange.end(outcome);
      },
    };
    const playback = new Playback(steps, connection, audience);
    playing.add(playback);
    playback.start();
  };

  const server = listen(options.port ?? 0, answer);
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    port: server.port,
    connections: server.connections,
    get requests() {
      return inbox.requests;
    },
    get counts() {
      return inbox.counts;
    },
    get inFlight() {
      return playing.size;
    },
    get queued() {
      return script.queued;
    },
    enqueue: (...answers) => script.enqueue(answers),
    forModel: (model, given) => script.when((request) => request.model === model, given),
    when: (matches, given) => script.when(matches, given),
    byDefault: (given) => script.byDefault(given),
    received: (number) => inbox.received(number),
    forget() {
      script.clear();
      inbox.clear();
    },
    stop() {
      for (const playback of [...playing]) playback.halt('stopped');
      server.stop();
    },
  };
}

function tellCounts(counts: Readonly<Counts>, connection: Connection): void {
  const reply = wholeReply(200, 'application/json', {
    text: JSON.stringify(counts),
    tokens: 0,
    usage: undefined,
  });
  new Playback(planSteps(reply, {}), connection, { saying() {}, end() {} }).start();
}
