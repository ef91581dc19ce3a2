/** Finds the reply to a request: its protocol, the script's answer, the fault in it, and the steps to play. */
import type { Answer } from './answer.ts';
import { planSteps, type Step } from './delivery/plan-steps.ts';
import type { Exchange } from './exchange.ts';
import { applyFault } from './faults/apply-fault.ts';
import { faultOf } from './faults/named-faults.ts';
import { isModelsList, modelsReply } from './models-list.ts';
import { protocolFor } from './protocols/index.ts';
import type { Call, Problem, Protocol } from './protocols/protocol.ts';
import { replay } from './recordings/replay.ts';
import { type Reply, wholeReply } from './reply.ts';
import type { Script } from './script.ts';

export interface ResponderOptions {
  readonly script: Script;
  readonly models: readonly string[];
  /** Lets like requests share one set of bytes, ids included: for load, not for tests of identity. */
  readonly reusesPlans: boolean;
}

const mostPlans = 1000;

export class Responder {
  readonly #options: ResponderOptions;
  readonly #plans = new WeakMap<Answer, Map<string, readonly Step[]>>();

  constructor(options: ResponderOptions) {
    this.#options = options;
  }

  /** What a request makes the double itself stumble over is told with a status that no upstream has. */
  respond(exchange: Exchange): readonly Step[] {
    const { method, path } = exchange;
    const protocol = protocolFor(method, path);
    if (protocol === undefined) return planSteps(this.#plainReply(method, path), {});
    try {
      return this.#respondIn(protocol, exchange);
    } catch (error) {
      const message = `The double stumbled: ${error instanceof Error ? error.stack : error}`;
      process.stderr.write(`${message}\n`);
      return planSteps(
        problemReply(protocol, { status: 599, message, type: 'double_error', code: null }),
        {},
      );
    }
  }

  #respondIn(protocol: Protocol, exchange: Exchange): readonly Step[] {
    const { method, path } = exchange;
    const { query, headers, body, bytes } = exchange;
    const reading = protocol.read({ method, path, query, headers, body, bodyBytes: bytes.length, bytes });
    if (!reading.ok) return planSteps(problemReply(protocol, reading.problem), {});
    exchange.model = reading.call.model;
    const answer = this.#options.script.choose(exchange);
    exchange.answer = answer;
    return this.#plan(answer, reading.call, protocol, exchange);
  }

  #plainReply(method: string, path: string): Reply {
    if (isModelsList(method, path)) return modelsReply(this.#options.models);
    const text = JSON.stringify({
      error: { message: `There is no ${method} ${path} here.`, type: 'not_found' },
    });
    return wholeReply(404, 'application/json', { text, tokens: 0, usage: undefined });
  }

  #plan(answer: Answer, call: Call, protocol: Protocol, exchange: Exchange): readonly Step[] {
    const key = this.#options.reusesPlans && answer.fault === undefined ? call.planKey : undefined;
    const plans = key === undefined ? undefined : this.#plansFor(answer);
    const known = key === undefined ? undefined : plans?.get(key);
    if (known !== undefined) return known;
    const steps = planSteps(replyTo(answer, call, protocol, exchange), answer.shape ?? {});
    if (key !== undefined) plans?.set(key, steps);
    return steps;
  }

  #plansFor(answer: Answer): Map<string, readonly Step[]> {
    const known = this.#plans.get(answer);
    if (known !== undefined && known.size < mostPlans) return known;
    const fresh = new Map<string, readonly Step[]>();
    this.#plans.set(answer, fresh);
    return fresh;
  }
}

function replyTo(answer: Answer, call: Call, protocol: Protocol, exchange: Exchange): Reply {
  const good =
    answer.replay === undefined
      ? call.generate(answer.generate ?? {}, exchange.number)
      : (replay(answer.replay, call.stream, protocol) ??
        problemReply(protocol, missing(answer.replay.name, call)));
  const context = { ...call, credential: credentialOf(exchange) };
  const reply =
    answer.fault === undefined ? good : applyFault(good, faultOf(answer.fault), protocol, context);
  const identity = {
    'x-request-id': `req_double_${exchange.number}`,
    'openai-organization': 'org-double-account',
  };
  return { ...reply, headers: { ...reply.headers, ...identity, ...answer.headers } };
}

function credentialOf({ headers }: Exchange): string | undefined {
  return headers['authorization'] ?? headers['x-api-key'] ?? headers['x-goog-api-key'];
}

function missing(name: string, call: Call): Problem {
  const form = call.stream ? 'stream' : 'whole answer';
  return {
    status: 501,
    message: `The recording ${name} holds no ${form}.`,
    type: 'double_error',
    code: null,
  };
}

function problemReply(protocol: Protocol, problem: Problem): Reply {
  const text = protocol.writeProblem(problem);
  const reply = wholeReply(problem.status, 'application/json', { text, tokens: 0, usage: undefined });
  return { ...reply, headers: { ...reply.headers, ...protocol.problemHeaders?.(problem) } };
}
