/** Whole answers of the form as responses. */
import type { Clock } from '../../base/clock.ts';
import type { InferenceRequest } from '../translator.ts';
import type { Choice, TurnAnswer } from '../turn/answer.ts';
import { readNamespaces } from './read-tools.ts';
import { ResponseObject, wantsSummary } from './response-object.ts';
import { writeResponsesStop } from './stop.ts';
import { writeOutput } from './write-output.ts';

const silence: Choice = { content: [], stop: { reason: 'end' } };

/** The protocol has one choice. */
export function writeResponsesAnswer(answer: TurnAnswer, request: InferenceRequest, clock: Clock): string {
  const response = new ResponseObject({ answer, request, clock });
  const choice = answer.choices[0] ?? silence;
  const hasRefusal = choice.content.some(({ type }) => type === 'refusal');
  const stop = writeResponsesStop(choice.stop, hasRefusal);
  const output = writeOutput(choice, {
    answerId: response.id,
    place: wantsSummary(request.json) ? 'summary' : 'content',
    namespaces: readNamespaces(request.json),
    status: stop.status,
  });
  return response.write({ ...stop, output, usage: answer.usage });
}
