/** How a test's sessions begin, where it does not matter. */
import type { SessionStart } from '../sessions.ts';

export function signedInBy(method: string, changes: Partial<SessionStart> = {}): SessionStart {
  return { method, userAgent: null, address: null, host: null, replacedToken: undefined, ...changes };
}
