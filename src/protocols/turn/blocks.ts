/** What messages and answers are made of: blocks of content, in the order in which they were said. */
import type { Citation } from './citations.ts';
import type { Signature } from './signature.ts';

/** "The prompt up to here can be cached", as the caller marked it. */
export interface CacheMark {
  /** Absent: the protocol's own default. */
  readonly ttl?: '5m' | '1h' | undefined;
}

/** Never empty: readers leave out text that says nothing. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  /** Of what a model says in an answer; what it said before is replayed without. */
  readonly citations?: readonly Citation[] | undefined;
  readonly cache?: CacheMark | undefined;
}

export interface ThinkingBlock {
  readonly type: 'thinking';
  /** May be empty when the upstream shows only the signature. */
  readonly text: string;
  /** Absent for upstreams that do not sign, whose thinking may be replayed as it is. */
  readonly signature?: Signature | undefined;
}

/** Thinking that only its upstream can read. */
export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly signature: Signature;
}

/** The model declines, in a place of its own instead of the text. */
export interface RefusalBlock {
  readonly type: 'refusal';
  readonly text: string;
}

export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them: JSON text, or what there was of it; empty for none. */
  readonly input: string;
  /** True when the tool takes free text, so that `input` is not JSON. */
  readonly custom?: true | undefined;
  readonly signature?: Signature | undefined;
  readonly cache?: CacheMark | undefined;
}

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly content: readonly ToolResultContent[];
  readonly isError: boolean;
  readonly cache?: CacheMark | undefined;
}

export type ToolResultContent = TextBlock | ImageBlock | DocumentBlock;

export interface ImageBlock {
  readonly type: 'image';
  readonly source: MediaSource;
  /** How closely to look, in the words of the protocols that ask. */
  readonly detail?: string | undefined;
  readonly cache?: CacheMark | undefined;
}

export interface DocumentBlock {
  readonly type: 'document';
  readonly source: MediaSource | TextSource | ContentSource;
  readonly title?: string | undefined;
  readonly context?: string | undefined;
  readonly cache?: CacheMark | undefined;
}

export interface AudioBlock {
  readonly type: 'audio';
  readonly source: Base64Source;
  readonly cache?: CacheMark | undefined;
}

export type MediaSource = Base64Source | UrlSource | FileSource;

export interface Base64Source {
  readonly kind: 'base64';
  readonly mediaType: string;
  readonly data: string;
}

export interface UrlSource {
  readonly kind: 'url';
  readonly url: string;
}

/** A file that lies with one vendor; no other can read it. */
export interface FileSource {
  readonly kind: 'file';
  readonly id: string;
  readonly vendor: 'anthropic' | 'openai' | 'google';
}

export interface TextSource {
  readonly kind: 'text';
  readonly text: string;
}

export interface ContentSource {
  readonly kind: 'content';
  readonly content: readonly (TextBlock | ImageBlock)[];
}

export type UserBlock = TextBlock | ImageBlock | DocumentBlock | AudioBlock | ToolResultBlock;

export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | RefusalBlock | ToolUseBlock;
