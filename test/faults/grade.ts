/** What an answer to a faulty upstream is worth to its client. README.md says what the grades mean. */
import type { Answer, Heard } from './hear.ts';
import type { NamedFault } from './sixteen.ts';

export type Grade = 'pass' | 'partial' | 'safe' | 'fail';

export interface Verdict {
  readonly grade: Grade;
  /** The code of the error that was told, or what is wrong. */
  readonly why: string;
}

export interface Trial {
  readonly fault: NamedFault;
  /** Null when the deadline came first. */
  readonly answer: Answer | null;
  readonly heard: Heard;
  /** What the providers that are asked would say without a fault. */
  readonly soundWords: readonly string[];
  /** Texts that no client may see: keys, accounts, addresses. */
  readonly secrets: readonly string[];
  readonly isSecondAsked: boolean;
}

export function gradeTrial({ fault, answer, heard, soundWords, secrets, isSecondAsked }: Trial): Verdict {
  const fail = (why: string): Verdict => ({ grade: 'fail', why });
  if (answer === null) return fail('hangs');
  if (secrets.some((secret) => answer.text.includes(secret))) return fail('tells a secret');
  const { words, end } = heard;
  if (end.kind === 'odd') return fail(end.why);
  if (end.kind === 'cut') return fail('broken off without a word');
  if (fault.isOfRequest === true && isSecondAsked) return fail('asked the next provider');
  if (end.kind === 'good') {
    if (fault.isOfRequest === true) return fail('no refusal');
    if (soundWords.includes(words)) return { grade: 'pass', why: '' };
    if (fault.losesPiece === true && soundWords.some((sound) => lacksOnePiece(words, sound))) {
      return { grade: 'partial', why: 'without the piece' };
    }
    return fail('wrong answer');
  }
  if (answer.status === 500) return fail('a raw 500');
  if (words === '') {
    const isRefusal = fault.isOfRequest === true && answer.status >= 400 && answer.status < 500;
    return { grade: isRefusal ? 'pass' : 'safe', why: end.code };
  }
  if (!soundWords.some((sound) => sound.startsWith(words))) return fail('wrong words');
  return { grade: 'partial', why: end.code };
}

/** Whether the words are those of the sound answer but for one run of them. */
function lacksOnePiece(words: string, sound: string): boolean {
  let at = 0;
  while (at < words.length && words[at] === sound[at]) at += 1;
  return words !== '' && words.length < sound.length && sound.endsWith(words.slice(at));
}
