/** Puts kept answers in the place of the references to them, just before a provider is asked. */
import type { HeldBytes } from '../base/byte-budget.ts';
import { AppError } from '../base/errors.ts';
import {
  asFilledText,
  asObjects,
  isJsonObject,
  type JsonObject,
  tryParseJson,
} from '../protocols/json/fields.ts';
import { editEntries, editMembers, type MemberEdit } from '../protocols/json/text.ts';
import { isMadeUpItem } from '../protocols/responses/items.ts';
import type { InferenceRequest } from '../protocols/translator.ts';
import { cannotRead } from '../protocols/turn/refuse.ts';
import { type KeptResponse, type KeptResponses, readKept } from './kept-responses.ts';
import { holdParsed } from './request-body.ts';

/** A conversation of more turns is sent whole by its client. */
export const mostTurns = 1000;

export interface RecallTerms {
  readonly kept: KeptResponses;
  readonly keyId: number;
  /** The provider speaks another protocol: what is referred to must be found, since nobody else knows it. */
  readonly isConverted: boolean;
  readonly maxBytes: number;
  /** Takes what the request grows by. */
  readonly held: HeldBytes;
}

/**
 * The request with what it refers to, ready to be answered, and its answer kept unless it says `store: false`.
 * @throws AppError invalid_parameter for an id that nobody knows, body_too_large where it would grow without bound.
 */
export function recall(request: InferenceRequest, terms: RecallTerms): InferenceRequest {
  const { kept, keyId, isConverted } = terms;
  const { json } = request;
  const previousId = asFilledText(json['previous_response_id']) ?? null;
  const refers = previousId !== null || request.text.includes('item_reference');
  const whole = refers ? new Recall(terms).expand(request, previousId) : request;
  if (json['store'] === false || !kept.isOn) return whole;
  const keep = (response: string, isMadeHere = false) => {
    const input = json['input'] == null ? null : JSON.stringify(json['input']);
    kept.keep(keyId, { response, input, previousId, isMadeHere: isConverted || isMadeHere });
  };
  return { ...whole, keep };
}

class Recall {
  readonly #terms: RecallTerms;
  /** Parsed once, however often they are referred to. */
  readonly #itemsOf = new Map<KeptResponse, ReadonlyMap<string, string>>();
  #bytes = 0;

  constructor(terms: RecallTerms) {
    this.#terms = terms;
  }

  expand(request: InferenceRequest, previousId: string | null): InferenceRequest {
    const { text, json } = request;
    const edits = new Map<string, MemberEdit>();
    const { turns, beforeId } = this.#turnsBefore(previousId);
    const earlier = turns.flatMap((turn) => this.#saidIn(turn));
    if (turns.length > 0)
      edits.set('previous_response_id', beforeId === null ? null : JSON.stringify(beforeId));
    const { input } = json;
    if (Array.isArray(input)) {
      edits.set('input', (own) => {
        const items = editEntries(own, (item, at) => this.#itemFor(input[at]) ?? item);
        return earlier.length === 0 ? items : `[${[...earlier, ...entriesOf(items)].join(',')}]`;
      });
    } else if (earlier.length > 0) {
      const said = input == null ? [] : [JSON.stringify({ role: 'user', content: input })];
      edits.set('input', `[${[...earlier, ...said].join(',')}]`);
    }
    const whole = editMembers(text, edits, json);
    if (whole === text) return request;
    const told = previousId === null ? {} : { repliesTo: previousId };
    const expanded = tryParseObject(whole);
    holdParsed(expanded, this.#terms.held);
    return { ...request, ...told, text: whole, json: expanded };
  }

  /** The oldest first, up to one that is for the upstream to know: `beforeId`. */
  #turnsBefore(previousId: string | null): { turns: readonly KeptResponse[]; beforeId: string | null } {
    const turns: KeptResponse[] = [];
    let id = previousId;
    while (id !== null) {
      const turn = this.#find(id);
      if (turn === undefined || turns.length === mostTurns) break;
      if (turn.lacksInput) throw this.#unknown('previous_response_id', id);
      turns.push(turn);
      id = turn.previousId;
    }
    if (id !== null && this.#terms.isConverted) throw this.#unknown('previous_response_id', id);
    return { turns: turns.reverse(), beforeId: id };
  }

  #saidIn(turn: KeptResponse): readonly string[] {
    const input = tryParseInput(turn.input);
    const said = Array.isArray(input)
      ? asObjects(input).map((item) => this.#itemFor(item) ?? JSON.stringify(item))
      : input === null
        ? []
        : [JSON.stringify({ role: 'user', content: input })];
    const items = [
      ...said,
      ...asObjects(readKept(turn.response)['output']).map((item) => JSON.stringify(item)),
    ];
    for (const item of items) this.#count(item);
    return items;
  }

  /** What a reference means; undefined for what is no reference, or is for the upstream to know. */
  #itemFor(item: unknown): string | undefined {
    if (!isJsonObject(item) || item['type'] !== 'item_reference') return undefined;
    const id = asFilledText(item['id']) ?? '';
    const { kept, keyId } = this.#terms;
    // A stream that can be rescued is written here, so that its items are too, while the answer is the upstream's.
    const one = this.#find(id) ?? (isMadeUpItem(id) ? kept.find(keyId, id) : undefined);
    const found = one === undefined ? undefined : this.#itemsIn(one).get(id);
    if (found === undefined && this.#terms.isConverted) throw this.#unknown('input', id);
    if (found !== undefined) this.#count(found);
    return found;
  }

  #find(id: string): KeptResponse | undefined {
    const { kept, keyId, isConverted } = this.#terms;
    const one = kept.find(keyId, id);
    return isConverted || one?.isMadeHere === true ? one : undefined;
  }

  #itemsIn(one: KeptResponse): ReadonlyMap<string, string> {
    const known = this.#itemsOf.get(one);
    if (known !== undefined) return known;
    const items = asObjects(readKept(one.response)['output']);
    const byId = new Map(items.map((item) => [asFilledText(item['id']) ?? '', JSON.stringify(item)]));
    this.#itemsOf.set(one, byId);
    return byId;
  }

  /** A short reference can stand for something long, and stand there often. */
  #count(item: string): void {
    const { maxBytes, held } = this.#terms;
    this.#bytes += item.length;
    if (this.#bytes > maxBytes) {
      throw new AppError({
        code: 'body_too_large',
        public: `With what it refers to, the request is larger than ${maxBytes} bytes.`,
      });
    }
    held.take(item.length);
  }

  #unknown(param: 'input' | 'previous_response_id', id: string): AppError {
    const { isOn, lifetimeMs } = this.#terms.kept;
    const shown = id.slice(0, 100);
    const minutes = Math.ceil(lifetimeMs / 60_000);
    const kept = isOn
      ? `nothing is kept under ${shown} for this key. Answers are kept for ${minutes} minutes, by the process that gave them.`
      : `${shown} is not known, since this server keeps no answers.`;
    const instead =
      param === 'input'
        ? 'Send the items themselves instead of an item_reference'
        : 'Send the whole conversation in input instead of previous_response_id';
    return cannotRead(
      param,
      `${kept} ${instead}; clients do so with "store": false (the AI SDK: providerOptions.openai.store).`,
    );
  }
}

function tryParseInput(input: string | null): unknown {
  return input === null ? null : tryParseJson(input);
}

function tryParseObject(text: string): JsonObject {
  const json = tryParseJson(text);
  if (!isJsonObject(json)) throw new Error('an edited request is no object');
  return json;
}

function entriesOf(list: string): readonly string[] {
  const inner = list.slice(1, -1);
  return inner === '' ? [] : [inner];
}
