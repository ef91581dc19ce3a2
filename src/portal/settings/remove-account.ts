/** Removing an account with what every room keeps of the person: one work for all of them. */
import { forgetServers } from '../../catalogue/index.ts';
import { type KeptElsewhere, removeAccount } from '../../identity/index.ts';
import { forgetTold, holdEventsOf } from '../../notifications/index.ts';

/** In the order in which they are held and forgotten. */
const keptElsewhere: readonly KeptElsewhere[] = [
  { hold: holdEventsOf, forget: forgetTold },
  { forget: forgetServers },
];

type Asked = Parameters<typeof removeAccount>;

/** As `removeAccount`, everywhere. */
export const removeEverywhere = (
  scope: Asked[0],
  work: Asked[1],
  removal: Omit<Asked[2], 'keptElsewhere'>,
): ReturnType<typeof removeAccount> => removeAccount(scope, work, { ...removal, keptElsewhere });
