/** Addresses of models: `…/models/{model}:{verb}`. */

export interface ModelPath {
  readonly model: string;
  readonly verb: string;
}

export function readPath(path: string): ModelPath | undefined {
  const match = /\/models\/([^/:]+):(\w+)$/.exec(path);
  const [, model, verb] = match ?? [];
  return model === undefined || verb === undefined ? undefined : { model: decodeURIComponent(model), verb };
}

export function servesVerb(verbs: readonly string[]): (method: string, path: string) => boolean {
  return (method, path) => method === 'POST' && verbs.includes(readPath(path)?.verb ?? '');
}
