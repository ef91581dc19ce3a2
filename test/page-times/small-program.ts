/** A service with a few models and requests, for what is measured without the demonstration. */
import { type DatabaseChoice, testDatabases } from '../support/databases.ts';
import { type SluiceProgram, startProgram } from '../support/program.ts';
import { newToken, owner } from '../support/sluice.ts';

const password = 'a long enough password';
/** So that what is drawn of requests has something to draw. */
const requestCount = 60;

/** @throws Error where this machine has no such database. */
export async function startSmallProgram(kind: DatabaseChoice['kind']) {
  const choice = testDatabases.find((each) => each.kind === kind);
  if (choice === undefined) throw new Error(`There is no ${kind} on this machine.`);
  const token = newToken();
  const database = await choice.prepare();
  const discardDatabase = () => database.discard();
  try {
    const program = await startProgram({
      database,
      file: {
        users: [{ email: owner, password, role: 'platform_owner', wallet_usd: 25 }],
        providers: [{ name: 'simulator', kind: 'simulator' }],
        models: ['chat-1', 'chat-2', 'chat-3'].map((id) => ({
          ...{
            id,
            type: 'chat',
            owned_by: 'doubles',
            context_window: 128_000,
            prices: { input: 0.15, output: 0.6 },
          },
          providers: [{ provider: 'simulator', upstream_id: 'simulator' }],
        })),
        keys: [{ name: 'usual', owner, token }],
      },
    });
    const discard = () => program.discard().then(discardDatabase);
    try {
      await sendRequests(program, token);
      const visitor = { name: 'owner', role: 'platform_owner' as const, cookie: await signIn(program) };
      return { program, visitors: [visitor], discard };
    } catch (error) {
      await program.discard();
      throw error;
    }
  } catch (error) {
    await discardDatabase();
    throw error;
  }
}

async function sendRequests({ url }: SluiceProgram, token: string): Promise<void> {
  for (let sent = 0; sent < requestCount; sent += 1) {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: `chat-${(sent % 3) + 1}`,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    });
    await answer.text();
    if (answer.status !== 200) throw new Error(`a request was answered with ${answer.status}`);
  }
}

/** The session's cookie, as `name=value`. */
async function signIn({ url }: SluiceProgram): Promise<string> {
  const answer = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: owner, password }),
  });
  const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
  if (answer.status !== 200) throw new Error(`signing in was answered with ${await answer.text()}`);
  return cookies.join('; ');
}
