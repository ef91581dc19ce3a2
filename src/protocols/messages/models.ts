/**
 * What is true of Claude's models, as the vendor's documentation has it in November 2026. The messages protocol has
 * changed with its models, so that what one takes the next may refuse; Bedrock hands the same fields to the same models.
 * The pages, all under https://platform.claude.com/docs/en/:
 *
 * - about-claude/models/overview and about-claude/models/whats-new-claude-4-6: thinking, prefill
 * - build-with-claude/effort, build-with-claude/extended-thinking and build-with-claude/structured-outputs
 * - agents-and-tools/tool-use/web-search-tool
 * - about-claude/models/whats-new-claude-4-7: thoughts are left out unless they are asked for, budgets and sampling are
 *   refused
 * - build-with-claude/mid-conversation-system-messages: Opus since 4.8, and what was trained after it
 * - models/<model>/migration-guide for fable-5, fable-5-1, sonnet-5, opus-5, opus-5-5, sonnet-5-5 and haiku-5-5
 */
import type { Effort } from '../turn/request.ts';

export interface ClaudeModel {
  /**
   * `budget`: within a number of tokens. `adaptive`: as much as the model finds right, guided by an effort. `none`: the
   * model refuses to be asked.
   */
  readonly thinking: 'none' | 'budget' | 'adaptive';
  /** The types of thinking that a request may name, beside the one that turns it off. */
  readonly thinkingTypes: readonly ('enabled' | 'adaptive')[];
  /** Shows nothing of its thoughts unless it is asked for a summary of them. */
  readonly hidesThoughts: boolean;
  /** When it generates thoughts of which at most a summary is shown; `never` where all of them are. */
  readonly unshownThoughts: 'never' | 'asked' | 'unasked';
  /**
   * What turns thinking off, and the most effort that may stand beside it; null where it is always on. `unasked`: it does
   * not think unless it is asked to, and may refuse to be told not to.
   */
  readonly thinkingOff: {
    readonly type: 'disabled' | 'between_tools' | 'unasked';
    readonly mostEffort: Effort;
  } | null;
  /** Lowest first; none where the model is told a budget. */
  readonly efforts: readonly Effort[];
  /** Takes an effort at all, be it beside a budget. */
  readonly takesEffort: boolean;
  /** Takes temperature, top_p and top_k. */
  readonly sampling: boolean;
  /** Takes a tool choice of `any` or of one tool. */
  readonly forcedTools: boolean;
  /** Goes on with a message of the assistant at the end of the conversation. */
  readonly prefill: boolean;
  /** Can be held to a schema, in its answer and in the arguments of its tools. */
  readonly schemas: boolean;
  /** Takes instructions in the middle of a conversation, behind what the user said. */
  readonly laterInstructions: boolean;
  /** Searches the web itself. */
  readonly webSearch: boolean;
  /** How many tokens it makes of a text: the tokeniser changed once. */
  readonly tokenizer: 'older' | 'newer';
}

/** Also for models of other vendors that are offered in this protocol, which follow its older way. */
const others: ClaudeModel = {
  thinking: 'budget',
  // Nobody knows what they take.
  thinkingTypes: ['enabled', 'adaptive'],
  takesEffort: true,
  hidesThoughts: false,
  unshownThoughts: 'never',
  thinkingOff: { type: 'disabled', mostEffort: 'max' },
  efforts: [],
  sampling: true,
  forcedTools: true,
  prefill: true,
  schemas: false,
  laterInstructions: false,
  webSearch: false,
  tokenizer: 'older',
};
const until35: ClaudeModel = {
  ...others,
  thinking: 'none',
  thinkingTypes: [],
  takesEffort: false,
  thinkingOff: { type: 'unasked', mostEffort: 'max' },
};
const since37: ClaudeModel = {
  ...others,
  thinkingTypes: ['enabled'],
  takesEffort: false,
  webSearch: true,
};
const since40: ClaudeModel = { ...since37, unshownThoughts: 'asked' };
const since45: ClaudeModel = { ...since40, schemas: true };
const opus45: ClaudeModel = { ...since45, takesEffort: true };
const since46: ClaudeModel = {
  ...opus45,
  thinking: 'adaptive',
  thinkingTypes: ['enabled', 'adaptive'],
  efforts: ['low', 'medium', 'high', 'max'],
  prefill: false,
};
const since47: ClaudeModel = {
  ...since46,
  thinkingTypes: ['adaptive'],
  hidesThoughts: true,
  thinkingOff: { type: 'unasked', mostEffort: 'max' },
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  sampling: false,
  tokenizer: 'newer',
};
const opus48: ClaudeModel = { ...since47, laterInstructions: true };
const since5: ClaudeModel = {
  ...since47,
  unshownThoughts: 'unasked',
  thinkingOff: { type: 'disabled', mostEffort: 'high' },
};
const opus5: ClaudeModel = { ...since5, laterInstructions: true };
const alwaysThinking: ClaudeModel = { ...opus5, thinkingOff: null };
const neverForced: ClaudeModel = { ...alwaysThinking, forcedTools: false };
const betweenTools: ClaudeModel = {
  ...neverForced,
  laterInstructions: false,
  thinkingOff: { type: 'between_tools', mostEffort: 'high' },
};

interface Row {
  /** `all` for those that no later row names. */
  readonly family: string;
  /** 407 for 4.7. */
  readonly since: number;
  readonly model: ClaudeModel;
}

/** Of the rows that fit a model's family and version, the last holds. */
const rows: readonly Row[] = [
  { family: 'all', since: 200, model: until35 },
  // 24 February 2025.
  { family: 'all', since: 307, model: since37 },
  // 22 May 2025.
  { family: 'all', since: 400, model: since40 },
  // 29 September 2025, Sonnet first.
  { family: 'all', since: 405, model: since45 },
  // 24 November 2025.
  { family: 'opus', since: 405, model: opus45 },
  // 5 February 2026, Opus first.
  { family: 'all', since: 406, model: since46 },
  // 16 April 2026.
  { family: 'all', since: 407, model: since47 },
  // 28 May 2026.
  { family: 'opus', since: 408, model: opus48 },
  // June and July 2026.
  { family: 'all', since: 500, model: since5 },
  { family: 'opus', since: 500, model: opus5 },
  { family: 'fable', since: 500, model: alwaysThinking },
  { family: 'mythos', since: 500, model: alwaysThinking },
  { family: 'fable', since: 501, model: neverForced },
  { family: 'mythos', since: 501, model: neverForced },
  // 22 September 2026, Opus, and what else may come.
  { family: 'all', since: 505, model: neverForced },
  // 28 September 2026.
  { family: 'sonnet', since: 505, model: betweenTools },
  // 7 October 2026.
  { family: 'haiku', since: 505, model: since5 },
];

/** By its id at any host. */
export function readClaudeModel(id: string): ClaudeModel {
  const { family, version } = readClaudeVersion(id);
  const row = rows.findLast((one) => version >= one.since && (one.family === 'all' || one.family === family));
  return row?.model ?? others;
}

/** `claude-sonnet-4-5-20250929`, `anthropic.claude-opus-4-6-v1`, `claude-fable-5`. */
const newName = /claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;
/** `claude-3-7-sonnet-latest`. */
const oldName = /claude-(\d)(?:[-.](\d))?-([a-z]*)/;

/** The version is 407 for 4.7, and 0 for a model of another vendor. */
export function readClaudeVersion(id: string): { readonly family: string; readonly version: number } {
  // The one model that had no number yet.
  if (id.includes('claude-mythos-preview')) return { family: 'mythos', version: 500 };
  const match = newName.exec(id);
  if (match !== null) return { family: match[1] ?? '', version: versionOf(match[2], match[3]) };
  const old = oldName.exec(id);
  if (old !== null) return { family: old[3] ?? '', version: versionOf(old[1], old[2]) };
  return { family: '', version: 0 };
}

const versionOf = (major = '0', minor = '0'): number => Number(major) * 100 + Number(minor);
