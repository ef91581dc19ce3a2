/** The yardstick: Bun and Hono passing a request on and its answer back, and nothing else. */
import { Hono } from 'hono';

const [port, upstream] = process.argv.slice(2);
if (port === undefined || upstream === undefined) {
  process.stderr.write('bare-proxy.ts takes a port and the upstream address\n');
  process.exit(2);
}

const app = new Hono();

app.post('/v1/*', async (context) => {
  const { raw } = context.req;
  const answer = await fetch(upstream + context.req.path, {
    method: 'POST',
    headers: {
      'content-type': raw.headers.get('content-type') ?? '',
      authorization: raw.headers.get('authorization') ?? '',
    },
    body: await raw.text(),
    signal: raw.signal,
  });
  const type = answer.headers.get('content-type') ?? '';
  return new Response(answer.body, { status: answer.status, headers: { 'content-type': type } });
});

app.get('/health', (context) => context.json({ status: 'ok' }));

// A client that leaves makes its upstream call fail, and that is no news; a real failure shows in the load tool as a status.
app.onError(() => new Response(null, { status: 502 }));

Bun.serve({ hostname: '127.0.0.1', port: Number(port), idleTimeout: 60, fetch: app.fetch });
