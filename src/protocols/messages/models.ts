/** What models of the messages protocol take, by their ids: the protocol has changed with the models. */

export interface ClaudeModel {
  /** `effort`: adaptive thinking with an effort; `budget`: thinking within a number of tokens. */
  readonly reasoning: 'effort' | 'budget';
  /** Takes temperature, top_p and top_k. */
  readonly sampling: boolean;
}

/** `claude-sonnet-4-5-20250929`, `claude-3-7-sonnet-latest`, `anthropic.claude-opus-4-6-v1`, `claude-fable-5`. */
const newNames = /claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;
const oldNames = /claude-(\d)(?:[-.](\d))?-/;

/** Adaptive thinking came with 4.6, and sampling parameters went with 4.7. Other vendors' models follow the older way. */
export function readClaudeModel(id: string): ClaudeModel {
  const version = readVersion(id);
  return { reasoning: version >= 406 ? 'effort' : 'budget', sampling: version < 407 };
}

/** 407 for 4.7; 0 for a model of another family. */
function readVersion(id: string): number {
  const match = newNames.exec(id) ?? oldNames.exec(id);
  if (match === null) return 0;
  return Number(match[1]) * 100 + Number(match[2] ?? 0);
}
