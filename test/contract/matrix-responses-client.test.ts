/** OpenAI's official client with responses, unchanged, against every upstream protocol. */
import { responsesMatrixClient } from '../support/matrix/responses-talk.ts';
import { runMatrix } from '../support/matrix/run-matrix.ts';

runMatrix(responsesMatrixClient('whole'));
