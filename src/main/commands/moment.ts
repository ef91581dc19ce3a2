/** A moment as commands take it. */
import { z } from 'zod';

/** A day is its beginning in UTC. */
export const moment = z
  .union(
    [z.iso.datetime({ offset: true }), z.iso.date()],
    'must be a date such as 2027-01-31, or a time with a zone such as 2027-01-31T12:00:00Z',
  )
  .transform((written) => new Date(written));
