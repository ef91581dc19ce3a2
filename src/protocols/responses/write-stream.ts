/** Events as a Responses stream. */
import type { Clock } from '../../base/clock.ts';
import type { TokenUsage } from '../../base/token-usage.ts';
import type { InferenceRequest } from '../translator.ts';
import type { Stop } from '../turn/answer.ts';
import type { EventWriter, TurnEvent } from '../turn/events.ts';
import { ResponseFrames } from './frames.ts';
import { OutputWriter } from './output-writer.ts';
import { readNamespaces } from './read-tools.ts';
import { ResponseObject, wantsSummary } from './response-object.ts';
import { writeResponsesStop } from './stop.ts';

interface OpenResponse {
  readonly object: ResponseObject;
  readonly output: OutputWriter;
}

export class ResponsesEventWriter implements EventWriter {
  readonly #request: InferenceRequest;
  readonly #clock: Clock;
  readonly #frames = new ResponseFrames();
  #response: OpenResponse | null = null;
  #usage: TokenUsage | null = null;
  #stop: Stop = { reason: 'end' };

  constructor(terms: { request: InferenceRequest; clock: Clock }) {
    this.#request = terms.request;
    this.#clock = terms.clock;
  }

  write(event: TurnEvent): string {
    if (event.type === 'start') return this.#start(event);
    if (event.type === 'usage') {
      this.#usage = event.usage;
      return '';
    }
    const response = this.#response;
    if (response === null) return '';
    if (event.type === 'end') return this.#end(response);
    if (event.choice !== 0) return '';
    if (event.type !== 'stop') return response.output.write(event);
    this.#stop = event.stop;
    return response.output.stop(writeResponsesStop(event.stop, response.output.hasRefusal).status);
  }

  #start(answer: Extract<TurnEvent, { type: 'start' }>): string {
    this.#usage = answer.usage;
    const request = this.#request;
    const object = new ResponseObject({ answer, request, clock: this.#clock });
    const output = new OutputWriter({
      frames: this.#frames,
      answerId: object.id,
      place: wantsSummary(request.json) ? 'summary' : 'content',
      namespaces: readNamespaces(request.json),
    });
    this.#response = { object, output };
    const state = { status: 'in_progress', incomplete_details: null, output: [], usage: null } as const;
    const members = `"response":${object.write(state)}`;
    return (
      this.#frames.write('response.created', members) + this.#frames.write('response.in_progress', members)
    );
  }

  #end({ object, output }: OpenResponse): string {
    const stop = writeResponsesStop(this.#stop, output.hasRefusal);
    const written = object.write({ ...stop, output: output.items, usage: this.#usage });
    return this.#frames.write(`response.${stop.status}`, `"response":${written}`);
  }
}
