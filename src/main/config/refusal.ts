/** Turns what a room below refuses into mistakes at their places in the configuration file. */
import { AppError } from '../../base/errors.ts';
import type { ConfigurationFile } from './file.ts';
import { ConfigurationError } from './mistake.ts';

/**
 * Runs a write that the file asked for.
 * @param path what the locations in a refusal are relative to.
 * @throws ConfigurationError in place of an AppError `validation_failed`.
 */
export async function locating<Result>(
  file: ConfigurationFile,
  path: readonly PropertyKey[],
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error;
    throw new ConfigurationError(
      error.fields.map(({ loc, msg }) => file.mistakeAt([...path, ...loc.map(asWritten)], msg)),
    );
  }
}

/** The rooms say `allowedModels` where the file says `allowed_models`. */
function asWritten(step: string | number): string | number {
  if (typeof step === 'number') return step;
  return step.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
