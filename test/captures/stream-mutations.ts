/** Small faults in a stream on its way to the client: a frame dropped, two swapped, or a value changed inside of one. */
import {
  asObject,
  asObjects,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../../src/protocols/json/fields.ts';
import { mutationsOf } from './mutations.ts';

export interface StreamMutation {
  readonly what: string;
  body(): string;
}

export function streamMutationsOf(body: string): StreamMutation[] {
  const frames = body.split('\n\n').filter((frame) => frame !== '');
  const kinds = frames.map(kindOf);
  const written = (changed: readonly string[]) => changed.map((frame) => `${frame}\n\n`).join('');
  return frames.flatMap((frame, at) => {
    const { kind, json } = kinds[at] ?? { kind: '', json: undefined };
    const drop = { what: `drop ${kind}`, body: () => written(frames.toSpliced(at, 1)) };
    const next = frames[at + 1];
    const swap = {
      what: `swap ${kind} and ${kinds[at + 1]?.kind}`,
      body: () => written(frames.toSpliced(at, 2, next ?? '', frame)),
    };
    const changes = json === undefined ? [] : mutationsOf(json);
    return [
      drop,
      ...(next === undefined || next === frame ? [] : [swap]),
      ...changes
        .filter(({ what }) => what.startsWith('change '))
        .map(({ what, json: mutated }) => ({
          what: `${what} in ${kind}`,
          body: () => written(frames.with(at, withData(frame, mutated()))),
        })),
    ];
  });
}

const dataOf = (frame: string): string => /^data: (.*)$/m.exec(frame)?.[1] ?? '';

const withData = (frame: string, json: JsonObject): string =>
  frame.replace(/^data: .*$/m, () => `data: ${JSON.stringify(json)}`);

/** By its type, or by what a chunk brings along. */
function kindOf(frame: string): { kind: string; json: JsonObject | undefined } {
  const json = tryParseJson(dataOf(frame));
  if (!isJsonObject(json)) return { kind: dataOf(frame), json: undefined };
  const { type, delta, choices, usage, candidates } = json;
  if (typeof type === 'string') {
    const inner = isJsonObject(delta) && typeof delta['type'] === 'string' ? ` ${delta['type']}` : '';
    return { kind: `${type}${inner}`, json };
  }
  if (candidates !== undefined) return { kind: `piece of ${broughtBy(candidates).join(', ')}`, json };
  const [choice] = Array.isArray(choices) ? choices : [];
  const brought = isJsonObject(choice) && isJsonObject(choice['delta']) ? Object.keys(choice['delta']) : [];
  const ends = isJsonObject(choice) && typeof choice['finish_reason'] === 'string' ? ['the end'] : [];
  const counts = isJsonObject(usage) ? ['usage'] : [];
  return { kind: `chunk of ${[...brought, ...ends, ...counts].join(', ')}`, json };
}

/** Counts stand in every piece, so that they say nothing of it. */
function broughtBy(candidates: unknown): string[] {
  const [candidate] = asObjects(candidates);
  const parts = asObjects(asObject(candidate?.['content'])?.['parts']).flatMap((part) => {
    const names = Object.keys(part).filter((name) => part[name] !== '');
    return names.includes('thought') ? names.filter((name) => name !== 'text') : names;
  });
  return candidate?.['finishReason'] === undefined ? parts : [...parts, 'the end'];
}
