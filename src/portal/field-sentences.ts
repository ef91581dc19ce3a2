/** What is wrong with a field that a schema refuses, as a sentence for a person: by what the schema takes, not by how it found out. */
import { z } from 'zod';
import type { ErrorsWords } from './languages/errors/en.ts';
import { errorsWords } from './languages/errors/index.ts';
import type { Language } from './languages/language.ts';
import { type Figures, figuresIn } from './ui/figures.ts';

interface Saying {
  readonly words: ErrorsWords;
  readonly figures: Figures;
}

/** What a rule of a schema may have as its message: a name, for which each language has a sentence. */
export type FieldSentence = keyof ErrorsWords['fields'];

/** Of a part of a schema, which the checker leaves out of its issues. */
type Part = z.core.$ZodType;

/**
 * For a schema's `safeParse`. A rule of a schema that knows better what is wrong has a name of `languages/errors` as its
 * message, or hands over an amount in nano-USD as `params.mostNanoUsd`.
 */
export function fieldErrors(language: Language, schema: Part): z.core.$ZodErrorMap {
  const saying = { words: errorsWords[language], figures: figuresIn(language) };
  return (issue) => sayIssue(issue, partAt(schema, issue.path ?? []), saying);
}

/** What the message of a schema's own rule stands for; any other is a sentence already. */
export function nameToSentence(language: Language, message: string): string {
  const { fields }: { readonly fields: Readonly<Record<string, string>> } = errorsWords[language];
  return Object.hasOwn(fields, message) ? (fields[message] ?? message) : message;
}

/** What stands at a path, without what only says whether it may be left out or how it is read. */
function partAt(schema: Part, path: readonly PropertyKey[]): Part {
  const part = coreOf(schema);
  const [step, ...rest] = path;
  if (step === undefined) return part;
  if (part instanceof z.ZodArray) return partAt(part.element, rest);
  const next = part instanceof z.ZodObject ? part.shape[String(step)] : undefined;
  return next === undefined ? part : partAt(next, rest);
}

function coreOf(schema: Part): Part {
  if (schema instanceof z.ZodPipe) return coreOf(schema.out);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return coreOf(schema.unwrap());
  }
  return schema;
}

function sayIssue(issue: z.core.$ZodRawIssue, part: Part, saying: Saying): string {
  const { fields, checker } = saying.words;
  const { figures } = saying;
  if (issue.code === 'custom' && typeof issue.params?.['mostNanoUsd'] === 'bigint') {
    return checker.mostUsd(figures.price(issue.params['mostNanoUsd']));
  }
  if (issue.input === undefined || issue.input === null) return fields.missing;
  if (part instanceof z.ZodNumber) return sayNumber(part, saying);
  if (part instanceof z.ZodEnum || part instanceof z.ZodLiteral || part instanceof z.ZodUnion) {
    const choices = choicesOf(part);
    return choices.length === 0 ? checker.unusable : checker.oneOf(choices.join(', '));
  }
  if (part instanceof z.ZodISODate) return checker.day;
  if (part instanceof z.ZodISODateTime) return checker.moment;
  if (part instanceof z.ZodEmail) return checker.email;
  if (part instanceof z.ZodBoolean) return checker.oneOf('true, false');
  if (part instanceof z.ZodArray) return sayList(issue, saying);
  if (part instanceof z.ZodString) return sayText(issue, saying);
  return checker.unusable;
}

function sayNumber(part: z.ZodNumber, { words: { checker }, figures }: Saying): string {
  const { minValue, maxValue } = part;
  // A whole number without a bound has those of what can be counted exactly, which tell nobody anything.
  const isBound = (value: number | null): value is number =>
    value !== null && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const [from, to] = [minValue, maxValue].map((value) => (isBound(value) ? figures.count(value) : undefined));
  if (from !== undefined && to !== undefined) {
    return part.isInt ? checker.wholeBetween(from, to) : checker.between(from, to);
  }
  if (!part.isInt) return checker.number;
  return from === undefined ? checker.whole : checker.wholeFrom(from);
}

function choicesOf(part: Part): readonly string[] {
  if (part instanceof z.ZodEnum) return part.options.map(String);
  if (part instanceof z.ZodLiteral) return [...part.values].map(String).filter((value) => value !== '');
  return part instanceof z.ZodUnion ? part.options.flatMap((option) => choicesOf(coreOf(option))) : [];
}

function sayList(issue: z.core.$ZodRawIssue, { words: { fields, checker }, figures }: Saying): string {
  if (issue.code === 'too_small') return fields.none_chosen;
  if (issue.code === 'too_big') return checker.mostInList(figures.count(Number(issue.maximum)));
  return checker.list;
}

function sayText(issue: z.core.$ZodRawIssue, { words: { fields, checker }, figures }: Saying): string {
  switch (issue.code) {
    case 'too_small':
      return Number(issue.minimum) <= 1
        ? fields.missing
        : checker.shortest(figures.count(Number(issue.minimum)));
    case 'too_big':
      return checker.longest(figures.count(Number(issue.maximum)));
    case 'invalid_format':
      return fields.not_text;
    default:
      return checker.text;
  }
}
