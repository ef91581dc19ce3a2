/** Errors as native clients expect them. */
import { responsesErrors } from '../responses/errors.ts';
import type { ErrorWriter } from '../translator.ts';

export const nativeErrors: ErrorWriter = {
  writeBody: (error) => JSON.stringify({ detail: error.message }),
  writeFrames: responsesErrors.writeFrames,
};
