/**
 * What a protocol cannot hold. Each protocol folder declares its losses as data; the property tests take away exactly
 * what is declared and demand that everything else comes back.
 */

export type RequestLoss =
  | 'a conversation without messages'
  | 'an output bound that nobody set'
  | 'arguments that are no JSON object'
  | 'audio'
  | 'blank stop sequences'
  | 'blocks in another order'
  | 'cache marks'
  | 'closeness of images'
  | 'context of documents'
  | 'documents as text'
  | 'documents by URL'
  | 'documents other than PDF'
  | 'documents without a title'
  | 'error marks of tool results'
  | 'fields of one vendor'
  | 'files of other vendors'
  | 'free-text tools'
  | 'images by file id'
  | 'instructions in the middle'
  | 'JSON without a schema'
  | 'likely tokens'
  | 'media in tool results'
  | 'name and strictness of a schema'
  | 'open schemas'
  | 'parallel use without a choice'
  | 'reasoning in other words'
  | 'refusals'
  | 'sampling while thinking'
  | 'seed and penalties'
  | 'several choices'
  | 'signatures of other vendors'
  | 'some of the tools'
  | 'temperature above one'
  | 'temperature together with top p'
  | 'tool choice without tools'
  | 'top k'
  | 'unsigned thinking'
  | 'unsigned thinking in pieces'
  | 'vendor tools';

export type AnswerLoss =
  | 'arguments that are no JSON object'
  | 'blocks in another order'
  | 'free-text tools'
  | 'lifetimes of cache writes'
  | 'likely tokens'
  | 'missing counts'
  | 'pieces of text'
  | 'refusals'
  | 'several choices'
  | 'stop reasons apart'
  | 'stop sequence that was met'
  | 'time of creation'
  | 'unsigned thinking in pieces';

export interface Loss<What> {
  readonly what: What;
  /** `changed`: kept in another shape. `refused`: without it the request would mean something else, so it fails. */
  readonly how: 'dropped' | 'changed' | 'refused';
  readonly why: string;
}

export interface DeclaredLosses {
  /** Whose files, and whose words for things, the protocol takes. */
  readonly vendor: 'anthropic' | 'openai' | 'google';
  readonly request: readonly Loss<RequestLoss>[];
  readonly answer: readonly Loss<AnswerLoss>[];
}
