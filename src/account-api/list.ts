/** The one list of the account API: pages, filters and the envelope, for every resource alike. */
import { AppError } from '../base/errors.ts';
import type { ListCondition, ListQuery } from '../base/list-query.ts';
import type { PersonScope } from '../base/scope.ts';
import type { ListedPage } from '../notifications/index.ts';
import type { Executor, Json, Resource } from './resource.ts';

export const defaultLimit = 20;
/** More than anybody asks together by hand; each value, of all filters together, is compared with every row. */
const mostConditions = 20;
const mostValues = 100;
/** A page of at most so many is written whole, with its length; a longer one as it is read. */
const mostInOnePiece = 500;

/** @throws AppError `invalid_parameter` that names the parameter. */
export function readListQuery(parameters: URLSearchParams, filters: readonly string[]): ListQuery {
  const conditions: ListCondition[] = [];
  let offset: number | undefined;
  let limit: number | undefined;
  let values = 0;
  for (const [name, value] of parameters) {
    if (name === 'offset' || name === 'limit') {
      if ((name === 'offset' ? offset : limit) !== undefined) throw refusal(name, 'is there twice');
      const count = readCount(name, value);
      if (name === 'offset') offset = count;
      else limit = count;
      continue;
    }
    const condition = readCondition(name, value, filters);
    conditions.push(condition);
    values += condition.anyOf.length;
    if (values > mostValues) throw refusal(name, `makes them more than ${mostValues} values to filter by`);
    if (conditions.length > mostConditions)
      throw refusal(name, `is one of more than ${mostConditions} filters`);
  }
  const most = limit ?? defaultLimit;
  return { conditions, offset: offset ?? 0, limit: most === 0 ? null : most };
}

function readCount(name: string, value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw refusal(name, 'must be a whole number from 0 on');
}

function readCondition(name: string, value: string, filters: readonly string[]): ListCondition {
  const [, field = name, how] = /^(.*)__(contains|exact)$/s.exec(name) ?? [];
  if (!filters.includes(field)) {
    throw refusal(name, `is no field of this list to filter by; there are ${filters.join(', ')}`);
  }
  return { field, how: how === 'contains' ? 'contains' : 'is', anyOf: readValues(name, value) };
}

/** Commas part them, and a backslash takes the character behind it as it is. */
function readValues(name: string, text: string): readonly string[] {
  if (text.includes('\0')) throw refusal(name, 'must have no NUL character');
  const values: string[] = [];
  let value = '';
  let isEscaped = false;
  for (const character of text) {
    if (isEscaped) {
      value += character;
      isEscaped = false;
    } else if (character === '\\') {
      isEscaped = true;
    } else if (character === ',') {
      values.push(value);
      value = '';
    } else {
      value += character;
    }
  }
  if (isEscaped) throw refusal(name, 'ends with a backslash that escapes nothing');
  return [...values, value];
}

function refusal(name: string, problem: string): AppError {
  const shown = name.slice(0, 100);
  return new AppError({ code: 'invalid_parameter', public: `${shown} ${problem}.`, param: shown });
}

interface Listing {
  readonly resource: Resource;
  readonly scope: PersonScope;
  readonly executor: Executor;
  readonly query: ListQuery;
  /** Hears of an error behind the beginning of an answer, which breaks off then: nobody else can tell of it. */
  readonly brokenOff: (thrown: unknown) => void;
}

/** The envelope as JSON: a text, or for a long list a stream that reads on as fast as it is taken. */
export async function writeList({
  resource,
  scope,
  executor,
  query,
  brokenOff,
}: Listing): Promise<string | ReadableStream<Uint8Array>> {
  const page = await resource.list.read(scope, executor, query);
  const meta = { limit: query.limit ?? 0, offset: query.offset, total_count: page.total };
  const texts = writeEnvelope(meta, page, (item) => resource.show(item, scope));
  if (Math.min(query.limit ?? page.total, page.total - query.offset) > mostInOnePiece) {
    return streamOf(texts, brokenOff);
  }
  let text = '';
  for await (const part of texts) text += part;
  return text;
}

async function* writeEnvelope(
  meta: Json,
  { pieces }: ListedPage<unknown>,
  show: (item: unknown) => Json,
): AsyncGenerator<string, void, undefined> {
  yield `{"meta":${JSON.stringify(meta)},"objects":[`;
  let between = '';
  for await (const items of pieces) {
    // What was removed while its piece was read is left out of it, all of it at times.
    if (items.length === 0) continue;
    yield between + items.map((item) => JSON.stringify(show(item))).join(',');
    between = ',';
  }
  yield ']}';
}

function streamOf(
  texts: AsyncGenerator<string, void, undefined>,
  brokenOff: Listing['brokenOff'],
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await texts.next().catch((thrown: unknown) => {
          brokenOff(thrown);
          throw thrown;
        });
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await texts.return();
      },
    },
    // Nothing is read for who takes nothing, such as of an answer to HEAD.
    { highWaterMark: 0 },
  );
}
