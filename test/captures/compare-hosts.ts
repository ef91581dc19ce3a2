/** Answers as many hosts send them, each in its own manner of a protocol, to every other protocol. */
import { isJsonObject, tryParseJson } from '../../src/protocols/json/fields.ts';
import {
  type RecordedProtocol,
  recordedProtocols,
  recordedStreams,
  recordedWholes,
} from '../../src/protocols/testing/recordings.ts';
import { type Compared, compareStream, compareWhole } from './compare-answers.ts';
import type { Finding } from './finding.ts';

const folders: readonly (readonly [folder: string, protocol: RecordedProtocol])[] = [
  ['alibaba', 'chat-completions'],
  ['anthropic', 'anthropic'],
  ['deepseek/chat', 'chat-completions'],
  ['google', 'google'],
  ['mistral', 'chat-completions'],
  ['moonshotai', 'chat-completions'],
  ['openai/responses', 'responses'],
  ['openai-compatible/chat', 'chat-completions'],
  ['perplexity', 'chat-completions'],
  ['xai', 'chat-completions'],
  ['xai/responses', 'responses'],
];

const pieces =
  'arguments in pieces by path, which are sent only to those who ask for them, as no conversion does';

/** Recordings that are no answer which a client could understand, with the reason. */
const noAnswers: readonly (readonly [part: string, reason: string])[] = [
  ['spliced-message-start', 'a second start in the middle of an answer, which no client survives'],
  ['openai-error', 'an error, which is a refusal and no answer'],
  ['google-429', 'an error, which is a refusal and no answer'],
  ['.error.json', 'an error, which is a refusal and no answer'],
  ['transcription', 'of another endpoint'],
  ['google-vertex-stream', pieces],
  ['missing-terminal-function-call', pieces],
  ['google-stream-no-args-tool-call', pieces],
];

export async function compareHosts(): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [folder, from] of folders) {
    for (const to of recordedProtocols.filter((client) => client !== from)) {
      for (const { name, text } of recordedWholes(folder).filter(isAnswer)) {
        findings.push(await compareWhole({ kind: 'answer', name, file: '', from, to }, text));
      }
      for (const { name, lines } of recordedStreams(folder).filter(isAnswer)) {
        const of: Compared = { kind: 'stream', name, file: '', from, to };
        findings.push(await compareStream(of, lines.map(tryParseJson).filter(isJsonObject)));
      }
    }
  }
  return findings;
}

const isAnswer = ({ name }: { readonly name: string }): boolean =>
  !noAnswers.some(([part]) => name.includes(part));
