/**
 * What a protocol cannot hold. Each protocol folder declares its losses as data; the property tests take away exactly
 * what is declared and demand that everything else comes back.
 */

export type RequestLoss =
  | 'a choice of one allowed tool'
  | 'a conversation that the assistant begins'
  | 'a conversation that the assistant ends'
  | 'a conversation without messages'
  | 'an output bound that nobody set'
  | 'arguments that are no JSON object'
  | 'audio'
  | 'blank stop sequences'
  | 'blank text'
  | 'blocks in another order'
  | 'cache marks'
  | 'cache marks in tool results'
  | 'image detail'
  | 'context of documents'
  | 'documents as text'
  | 'documents by URL'
  | 'documents other than PDF'
  | 'documents without a title'
  | 'documents without words beside them'
  | 'error marks of tool results'
  | 'fields of one vendor'
  | 'files by id'
  | 'files of other vendors'
  | 'free-text tools'
  | 'images by file id'
  | 'images by URL'
  | 'instructions in the middle'
  | 'JSON without a schema'
  | 'JSON that nobody speaks of'
  | 'logprobs'
  | 'media in tool results'
  | 'name and strictness of a schema'
  | 'names of documents'
  | 'neighbouring texts'
  | 'one tool at a time'
  | 'open schemas'
  | 'parallel use without a choice'
  | 'penalties'
  | 'pieces of tool results'
  | 'reasoning in other words'
  | 'refusals'
  | 'sampling while thinking'
  | 'seed and penalties'
  | 'several choices'
  | 'signatures of other vendors'
  | 'small output bounds'
  | 'some of the tools'
  | 'stop sequences'
  | 'storing that nobody spoke of'
  | 'strictness of tools that nobody set'
  | 'strictness of a schema'
  | 'strictness of tools'
  | 'temperature above one'
  | 'temperature together with top p'
  | 'the wish to stream'
  | 'thinking in pieces'
  | 'titles of documents'
  | 'titles of documents by URL or id'
  | 'tool choice without tools'
  | 'tools that are no longer offered'
  | 'top k'
  | 'unsigned thinking'
  | 'unsigned thinking in pieces'
  | 'user ids'
  | 'vendor tools';

export type AnswerLoss =
  | 'a stop for tools without any'
  | 'arguments that are no JSON object'
  | 'blocks in another order'
  | 'bytes of logprobs'
  | 'cache writes'
  | 'counts of nothing'
  | 'counts of reasoning'
  | 'free-text tools'
  | 'lifetimes of cache writes'
  | 'logprobs'
  | 'neighbouring texts'
  | 'pauses'
  | 'pieces of text'
  | 'refusals'
  | 'several choices'
  | 'stop reasons apart'
  | 'stop sequence that was met'
  | 'time of creation'
  | 'unsigned thinking in pieces';

/** What a protocol holds and the form has no place for: it ends at the protocol's reader, what stands around it stays. */
export type Unread =
  | 'audio that the model made'
  | 'files for vendor tools'
  | 'images that the model made'
  | 'citations'
  | 'traces of vendor tools';

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
  /** Where the protocol is the one that is read. */
  readonly unread: {
    readonly request: readonly Loss<Unread>[];
    readonly answer: readonly Loss<Unread>[];
  };
}
