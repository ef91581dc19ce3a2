/** The error for an upload that is no form. */
import { AppError } from '../../../base/errors.ts';

/** @param reason what is wrong with it, without a full stop. */
export function brokenForm(reason: string, cause?: unknown): AppError {
  return new AppError({
    code: 'malformed_request',
    public: `The multipart form cannot be read: ${reason}.`,
    ...(cause === undefined ? {} : { cause }),
  });
}
