/** How hosts of chat completions are asked to think more, less or not at all. */
import type { Effort } from '../turn/request.ts';

/** What a host calls each effort; one that is not there is left out. */
export type EffortWords = Readonly<Partial<Record<Effort, string>>>;

export type ReasoningDialect =
  | { readonly style: 'none' }
  /** `reasoning_effort`; `off` is the word for no thinking, where every model that reasons knows one. */
  | { readonly style: 'effort'; readonly words: EffortWords; readonly off?: string }
  /** `thinking: {type}`, with `reasoning_effort` beside it where there are words. */
  | {
      readonly style: 'thinking';
      readonly on: 'enabled' | 'adaptive';
      readonly canStop: boolean;
      readonly words?: EffortWords;
    }
  /** `enable_thinking` and `thinking_budget`. */
  | { readonly style: 'enable_thinking' }
  /** `reasoning: {enabled}`, with the effort as `reasoning_effort` beside it. */
  | { readonly style: 'enabled'; readonly words: EffortWords }
  /** `reasoning: {effort | max_tokens | enabled}`. */
  | { readonly style: 'object'; readonly words: EffortWords };
