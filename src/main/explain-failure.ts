/** Why a program ends that could not do what it was started for, as whoever started it reads it. */
import pg from 'pg';
import { AppError, describeThrown, withoutQuery } from '../base/errors.ts';
import { ConfigurationError } from '../configuration/index.ts';
import { StorageError } from '../storage/storage-error.ts';

/**
 * What is meant for people as it is; what a database refused, by its own reason and without the query, whose parameters
 * may be secrets; anything else with the trace that a report of a fault needs.
 */
export function explainFailure(thrown: unknown): string {
  const bare = withoutQuery(thrown);
  // Clients are told only that it is away; whoever runs the program is told why.
  if (bare instanceof AppError)
    return bare.code === 'database_unavailable' ? describeThrown(bare) : bare.message;
  if (bare instanceof ConfigurationError) return `the settings cannot be used:\n${bare.message}`;
  if (bare instanceof StorageError) return bare.message;
  if (bare !== thrown || bare instanceof pg.DatabaseError)
    return `the database did not carry it out: ${describeThrown(bare)}`;
  return bare instanceof Error ? (bare.stack ?? bare.message) : String(bare);
}
