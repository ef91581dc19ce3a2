/** Every recorded request to every other protocol: it asks for the same, but for what a declared loss of the pair covers. */
import { AppError } from '../../src/base/errors.ts';
import { isJsonObject, type JsonObject } from '../../src/protocols/json/fields.ts';
import { readRecording, recordedCases, recordedProtocols } from '../../src/protocols/testing/recordings.ts';
import type { RequestLoss } from '../../src/protocols/turn/testing/losses.ts';
import type { Asked, AskedBlock } from './asked/asked.ts';
import { readAsked } from './asked/read-asked.ts';
import { compareBeside } from './compare-beside.ts';
import { applyLosses } from './excuses.ts';
import { type Comparison, type Finding, leafDifferences } from './finding.ts';
import { ownRequests } from './own-requests.ts';
import { clients, declaredLosses, requestReaders, upstreamModels, upstreams } from './protocols.ts';

export interface RequestOf extends Comparison {
  readonly kind: 'request';
}

export function compareRequests(): Finding[] {
  return everyRequest().flatMap(({ of, request }) => {
    const converted = convert(of, request);
    if (converted instanceof AppError) return [judgeRefusal(of, request, converted)];
    const finding = compareRequest(of, request, converted);
    if (finding.outcome === 'failure' || of.file !== 'request') return [finding];
    const recorded = readRecording(of.name, of.to, of.file);
    if (recorded === null) return [finding];
    const beside = compareBeside(of, readJson(recorded), converted);
    return [beside.length === 0 ? finding : { ...of, outcome: 'failure', details: beside }];
  });
}

/** Those of our own, which hold what no recording does, and recorded ones, each with every protocol that it goes to. */
export function everyRequest(): { readonly of: RequestOf; readonly request: JsonObject }[] {
  const recorded = recordedCases().flatMap((name) =>
    recordedProtocols.flatMap((from) =>
      ['request', 'followup-request'].flatMap((file) => {
        const text = readRecording(name, from, file);
        return text === null ? [] : [{ name, from, file, request: readJson(text) }];
      }),
    ),
  );
  return [...ownRequests, ...recorded].flatMap(({ request, ...from }) =>
    recordedProtocols
      .filter((to) => to !== from.from)
      .map((to) => ({ of: { kind: 'request', ...from, to } as const, request })),
  );
}

/** What the upstream gets; the error for what it cannot get. */
export function convert({ from, to }: RequestOf, request: JsonObject): JsonObject | AppError {
  try {
    const { json, text } = requestReaders[from](JSON.stringify(request), '');
    const turn = clients[from].readRequest({ ...json }, text);
    return readJson(upstreams[to].writeRequest(turn, { id: upstreamModels[to] }));
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
}

export function compareRequest(of: RequestOf, request: JsonObject, converted: JsonObject): Finding {
  let found: Asked;
  try {
    found = readAsked[of.to](converted);
  } catch (thrown) {
    return { ...of, outcome: 'failure', details: [`unreadable: ${String(thrown)}`] };
  }
  const pair = { from: declaredLosses[of.from], to: declaredLosses[of.to], found };
  const { asked, losses } = applyLosses(readAsked[of.from](request), pair);
  const details = leafDifferences(asked, found);
  if (details.length > 0) return { ...of, outcome: 'failure', details };
  return { ...of, outcome: losses.length > 0 ? 'loss' : 'match', details: losses };
}

/** A refusal is right only where a loss of the target says that it refuses what this request has. */
function judgeRefusal(of: RequestOf, request: JsonObject, error: AppError): Finding {
  const asked = readAsked[of.from](request);
  const reasons = declaredLosses[of.to].request.filter(
    ({ what, how }) => how === 'refused' && refused[what]?.(asked) === true,
  );
  if (error.code !== 'invalid_parameter' || reasons.length === 0) {
    return { ...of, outcome: 'failure', details: [`refused without a declared loss: ${error.message}`] };
  }
  return { ...of, outcome: 'loss', details: reasons.map(({ what }) => `refused: ${what}`) };
}

const refused: Partial<Record<RequestLoss, (asked: Asked) => boolean>> = {
  'a conversation without messages': ({ messages }) => messages.length === 0,
  audio: (asked) => hasBlock(asked, ({ type }) => type === 'audio'),
  'documents by URL': (asked) =>
    hasBlock(asked, (block) => block.type === 'document' && /^\w+:\/\//.test(block.source)),
  'documents other than PDF': (asked) =>
    hasBlock(
      asked,
      (block) => block.type === 'document' && /^(?!application\/pdf)[\w./-]+;base64,/.test(block.source),
    ),
  'files of other vendors': (asked) =>
    hasBlock(asked, (block) => 'source' in block && block.source.startsWith('file:')),
  'images by file id': (asked) =>
    hasBlock(asked, (block) => block.type === 'image' && block.source.startsWith('file:')),
  'several choices': ({ choices }) => Number(choices ?? 1) > 1,
  'stop sequences': ({ stop }) => stop.length > 0,
  'vendor tools': ({ tools }) => tools.some(({ kind }) => kind !== 'function' && kind !== 'custom'),
};

const hasBlock = ({ messages }: Asked, isIt: (block: AskedBlock) => boolean): boolean =>
  messages.some(({ blocks }) =>
    blocks.some((block) => isIt(block) || (block.type === 'result' && block.content.some(isIt))),
  );

function readJson(text: string): JsonObject {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error('a request that is no JSON object');
  return json;
}
