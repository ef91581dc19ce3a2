/** Responses as one side of a conversion. */
import { type Clock, systemClock } from '../../base/clock.ts';
import type { ClientProtocol, PassingProtocol } from '../protocol.ts';
import { unwrapAnswer, unwrapEvents } from '../turn/free-text/unwrap.ts';
import { readResponsesAnswer, writeResponsesAnswer } from './answer.ts';
import { readResponsesComplaint } from './errors.ts';
import { argumentMembers } from './items.ts';
import { responsesPassthrough } from './passthrough.ts';
import { customToolNames, readResponsesTurn } from './read-request.ts';
import { ResponsesEventReader } from './read-stream.ts';
import { writeResponsesTurn } from './write-request.ts';
import { ResponsesEventWriter } from './write-stream.ts';

const name = 'responses';

export const responsesUpstream: PassingProtocol = {
  name,
  stopSequences: 'none',
  argumentMembers,
  writeRequest: writeResponsesTurn,
  readAnswer: readResponsesAnswer,
  openReader: () => new ResponsesEventReader(),
  readComplaint: readResponsesComplaint,
  passthrough: responsesPassthrough,
};

export function responsesClient(clock: Clock = systemClock): ClientProtocol {
  return {
    name,
    answerIdPrefix: 'resp_',
    readRequest: readResponsesTurn,
    writeAnswer: (answer, request) =>
      writeResponsesAnswer(unwrapAnswer(answer, customToolNames(request.json)), request, clock),
    openWriter: (request) =>
      unwrapEvents(new ResponsesEventWriter({ request, clock }), customToolNames(request.json)),
  };
}
