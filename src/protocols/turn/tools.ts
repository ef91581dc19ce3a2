/** The tools that a model may use, how freely it may choose among them, and what calls of them are known by. */

import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../json/fields.ts';
import type { CacheMark } from './blocks.ts';

export interface FunctionTool {
  readonly kind: 'function';
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of the arguments. */
  readonly schema: JsonObject;
  /** The arguments must fit the schema; absent when the caller did not say. */
  readonly strict?: boolean | undefined;
  readonly cache?: CacheMark | undefined;
}

/** Takes free text instead of JSON. */
export interface CustomTool {
  readonly kind: 'custom';
  readonly name: string;
  readonly description?: string | undefined;
  /** The grammar of the text, as the protocol writes it. */
  readonly format?: JsonObject | undefined;
}

/** A tool that one vendor runs or defines itself, such as its web search; only that vendor has it. */
export interface VendorTool {
  readonly kind: 'vendor';
  readonly type: string;
  readonly json: JsonObject;
  /** How often it may be used for one answer; absent when the caller did not say. */
  readonly maxUses?: number;
}

/**
 * The search of the web that several vendors run, as the Responses protocol declares it: the form's one vendor tool that
 * more than its own vendor has.
 */
export const isWebSearch = (tool: Tool): boolean =>
  tool.kind === 'vendor' && /^web_search(_preview)?(_\d|$)/.test(tool.type);

export type Tool = FunctionTool | CustomTool | VendorTool;

/** Absent in a request: the model decides. */
export type ToolChoice =
  | { readonly type: 'none' }
  | { readonly type: 'required' }
  | { readonly type: 'tool'; readonly name: string }
  /** Only these; at least one of them when `required`. */
  | { readonly type: 'allowed'; readonly names: readonly string[]; readonly required: boolean };

/** The names of the tools that take free text. */
export function customNames(tools: readonly Tool[]): ReadonlySet<string> {
  return new Set(tools.flatMap((tool) => (tool.kind === 'custom' ? [tool.name] : [])));
}

/** Some upstreams refuse longer ids of calls when the conversation moves to them. */
const maxCallIdLength = 40;

export interface CallPlace {
  /** Empty when the upstream gives none. */
  readonly answerId: string;
  readonly choice: number;
  /** Among the calls of the choice. */
  readonly at: number;
}

/**
 * An id for a call of an upstream that gives none: clients need one to answer to. No two calls of a conversation share
 * one, whichever answers they stand in.
 */
export function makeCallId({ answerId, choice, at }: CallPlace): string {
  const owner = answerId === '' ? randomUUID().replaceAll('-', '') : answerId;
  const place = `_${choice}_${at}`;
  return `call_${owner.slice(-(maxCallIdLength - 'call_'.length - place.length))}${place}`;
}
