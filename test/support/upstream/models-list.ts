/** The list of models, which every compatible host serves and probes ask for; no script touches it. */
import { type Reply, wholeReply } from './reply.ts';

export function isModelsList(method: string, path: string): boolean {
  return method === 'GET' && path.endsWith('/models');
}

export function modelsReply(ids: readonly string[]): Reply {
  const data = ids.map((id) => ({ id, object: 'model', created: 1_735_689_600, owned_by: 'double' }));
  const text = JSON.stringify({ object: 'list', data });
  return wholeReply(200, 'application/json', { text, tokens: 0, usage: undefined });
}
