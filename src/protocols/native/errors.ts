/** Errors as native clients expect them. */
import type { ErrorWriter } from '../exchange.ts';
import { responsesErrors } from '../responses/errors.ts';

export const nativeErrors: ErrorWriter = {
  writeBody: (error) => JSON.stringify({ detail: error.message }),
  writeFrames: responsesErrors.writeFrames,
};
