/** What `sluice audit` does with the database. */
import { z } from 'zod';
import { verifyTrail } from '../../audit/index.ts';
import { command } from './command.ts';

export const auditCommands = {
  'audit verify': command(z.strictObject({}), ({ storage }) => verifyTrail(storage.db)),
};
