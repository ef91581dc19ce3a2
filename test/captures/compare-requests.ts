/** Every recorded request to every other protocol: it keeps its meaning, and is what was recorded there. */
import { AppError } from '../../src/base/errors.ts';
import { chatLosses } from '../../src/protocols/chat-completions/testing/losses.ts';
import { googleLosses } from '../../src/protocols/google/testing/losses.ts';
import { messagesLosses } from '../../src/protocols/messages/testing/losses.ts';
import { responsesLosses } from '../../src/protocols/responses/testing/losses.ts';
import {
  type RecordedProtocol,
  readRecording,
  recordedCases,
  recordedProtocols,
} from '../../src/protocols/testing/recordings.ts';
import type { TurnRequest } from '../../src/protocols/turn/request.ts';
import type { DeclaredLosses, RequestLoss } from '../../src/protocols/turn/testing/losses.ts';
import { askedDifferently } from './asked-differently.ts';
import { differences, type Finding } from './finding.ts';
import { convertRequest, type Outline, outlineOf, readRequest } from './outline.ts';

const declared: Readonly<Record<RecordedProtocol, DeclaredLosses>> = {
  anthropic: messagesLosses,
  'chat-completions': chatLosses,
  responses: responsesLosses,
  google: googleLosses,
};

/** Where in an outline each loss can show. */
const shownIn: Partial<Record<RequestLoss, readonly (keyof Outline)[]>> = {
  'blocks in another order': ['blocks', 'texts'],
  'documents as text': ['blocks', 'texts'],
  'error marks of tool results': ['texts'],
  'instructions in the middle': ['system', 'blocks', 'texts'],
  'JSON without a schema': ['format'],
  'media in tool results': ['blocks', 'texts'],
  'reasoning in other words': ['reasons'],
  refusals: ['blocks', 'texts'],
  'sampling while thinking': ['temperature', 'topK'],
  'seed and penalties': ['seed'],
  'signatures of other vendors': ['blocks'],
  'some of the tools': ['toolChoice'],
  'temperature above one': ['temperature'],
  'tool choice without tools': ['toolChoice'],
  'one tool at a time': ['parallel'],
  'parallel use without a choice': ['parallel'],
  'pieces of tool results': ['texts'],
  'top k': ['topK'],
  'unsigned thinking': ['blocks'],
  'unsigned thinking in pieces': ['blocks'],
};

export function compareRequests(): Finding[] {
  return recordedCases().flatMap((name) =>
    recordedProtocols.flatMap((from) =>
      ['request', 'followup-request'].flatMap((file) => {
        const text = readRecording(name, from, file);
        if (text === null) return [];
        return recordedProtocols
          .filter((to) => to !== from)
          .map((to) => compareOne({ kind: 'request', name, file, from, to } as const, text));
      }),
    ),
  );
}

function compareOne(of: Pick<Finding, 'kind' | 'name' | 'file' | 'from' | 'to'>, text: string): Finding {
  const { name, file, from, to } = of;
  let turn: TurnRequest;
  let converted: TurnRequest;
  try {
    turn = readRequest(from, text);
    converted = convertRequest(turn, to);
  } catch (thrown) {
    return refusal(of, thrown);
  }
  const own = outlineOf(turn);
  const made = outlineOf(converted);
  const kept = differences(own, made);
  const losses = kept.filter((difference) => isDeclared(difference, to));
  const failures = kept.filter((difference) => !isDeclared(difference, to));
  const other = file === 'request' ? readRecording(name, to, file) : null;
  if (other !== null && failures.length === 0) {
    const except = new Set<string>(askedDifferently[name] ?? []);
    failures.push(
      ...differences(outlineOf(readRequest(to, other)), made, except)
        .filter((difference) => !isDeclared(difference, to) && !isDeclared(difference, from))
        .map((difference) => `beside the recording: ${difference}`),
    );
  }
  if (failures.length > 0) return { ...of, outcome: 'failure', details: failures };
  return { ...of, outcome: losses.length > 0 ? 'loss' : 'match', details: losses };
}

function isDeclared(difference: string, protocol: RecordedProtocol): boolean {
  const field = difference.slice(0, difference.indexOf(':'));
  return declared[protocol].request.some(({ what }) => shownIn[what]?.some((place) => place === field));
}

/** A refusal names the field; it is right only where a loss of the target says that it refuses. */
function refusal(of: Pick<Finding, 'kind' | 'name' | 'file' | 'from' | 'to'>, thrown: unknown): Finding {
  const refusing = declared[of.to].request.filter(({ how }) => how === 'refused');
  if (thrown instanceof AppError && thrown.code === 'invalid_parameter' && refusing.length > 0) {
    return { ...of, outcome: 'loss', details: [`refused: ${thrown.message}`] };
  }
  return { ...of, outcome: 'failure', details: [`cannot be converted: ${String(thrown)}`] };
}
