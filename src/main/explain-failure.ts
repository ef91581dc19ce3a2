/** Why a program ends that could not do what it was started for, as whoever started it reads it. */
import { AppError } from '../base/errors.ts';
import { ConfigurationError } from '../configuration/index.ts';
import { StorageError } from '../storage/storage-error.ts';

/** What is meant for people as it is; what is not, with the trace that a report of a fault needs. */
export function explainFailure(thrown: unknown): string {
  if (thrown instanceof AppError) return thrown.message;
  if (thrown instanceof ConfigurationError) return `the settings cannot be used:\n${thrown.message}`;
  if (thrown instanceof StorageError) return thrown.message;
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
