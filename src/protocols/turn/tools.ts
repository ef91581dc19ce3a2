/** The tools that a model may use, how freely it may choose among them, and what calls of them are known by. */

import { randomUUID } from 'node:crypto';
import { asObject, asText, type JsonObject } from '../json/fields.ts';
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
  readonly maxUses?: number | undefined;
}

export type Tool = FunctionTool | CustomTool | VendorTool;

/**
 * The search of the web that several vendors run, as the Responses protocol, the messages protocol or Gemini's declares
 * it: the form's one vendor tool that more than its own vendor has.
 */
export const isWebSearch = (tool: Tool): tool is SearchTool =>
  tool.kind === 'vendor' && (tool.type === googleSearch || /^web_search(_preview)?(_\d|$)/.test(tool.type));

export interface SearchTool extends VendorTool {
  readonly type: typeof googleSearch | `web_search${string}`;
}

const googleSearch = 'googleSearch';

/** What a choice calls the search of the web, under whichever type it is declared. */
export const webSearchName = 'web_search';

/** The tools by what a choice calls them. The caller's own come first, since one of each kind may share a name. */
export function toolsByName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const byName = new Map<string, Tool>();
  for (const tool of tools) if (tool.kind !== 'vendor' && !byName.has(tool.name)) byName.set(tool.name, tool);
  for (const tool of tools) {
    if (tool.kind !== 'vendor') continue;
    const name = isWebSearch(tool) ? webSearchName : (asText(tool.json['name']) ?? tool.type);
    if (!byName.has(name)) byName.set(name, tool);
  }
  return byName;
}

/** The tool that must be used; undefined where none is named. */
export function chosenTool(tools: readonly Tool[], choice: ToolChoice | undefined): Tool | undefined {
  return choice?.type === 'tool' ? toolsByName(tools).get(choice.name) : undefined;
}

/** A choice among some tools, of those of them that are left. */
export function choiceAmong(choice: ToolChoice | undefined, tools: readonly Tool[]): ToolChoice | undefined {
  if (choice?.type !== 'allowed') return choice;
  const left = toolsByName(tools);
  return { ...choice, names: choice.names.filter((name) => left.has(name)) };
}

/** Whether it is among tools of which none is there. */
export const allowsNone = (choice: ToolChoice | undefined): boolean =>
  choice?.type === 'allowed' && choice.names.length === 0;

/** Where a search looks, and from where. What is asked is handed on as it is written, and its vendor checks it. */
export interface SearchBounds {
  readonly userLocation: unknown;
  /** Never an empty list. */
  readonly allowedDomains?: readonly unknown[] | undefined;
  /** Never an empty list. */
  readonly blockedDomains?: readonly unknown[] | undefined;
}

/** Responses and Gemini keep the domains in an object of their own, messages beside the other fields. */
export function readSearchBounds({ json }: SearchTool): SearchBounds {
  const domains = asObject(json['filters']) ?? asObject(json[googleSearch]) ?? json;
  return {
    userLocation: json['user_location'] ?? undefined,
    allowedDomains: asFilledList(domains['allowed_domains']),
    blockedDomains: asFilledList(domains['blocked_domains'] ?? domains['excludeDomains']),
  };
}

const asFilledList = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value : undefined;

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
