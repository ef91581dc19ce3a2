/** Who asks, within the length that OpenAI takes. */
import { createHash } from 'node:crypto';

const mostCharacters = 64;

/** A longer name becomes its hash: the same caller stays the same. */
export function writeUser(userId: string | undefined): string | undefined {
  if (userId === undefined || userId.length <= mostCharacters) return userId;
  return createHash('sha256').update(userId).digest('hex').slice(0, mostCharacters);
}
