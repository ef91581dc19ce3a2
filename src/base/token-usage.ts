/** What a request consumed, in counts that never overlap, so that each can have its own price. */

export interface TokenUsage {
  /** Input that no cache served. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  /** All output, reasoning included. */
  readonly outputTokens: number;
  /** The part of the output spent on reasoning; already inside outputTokens. */
  readonly reasoningTokens: number;
  /** True when the upstream gave no counts and these are ours. */
  readonly estimated: boolean;
  /** Absent where there is nothing of it, as in most answers. */
  readonly extras?: Extras | undefined;
}

/**
 * What an answer says that it used beside plain tokens, and in which dearer or cheaper way it was made. What is left out
 * was not used. The names are those of the meters that price it.
 */
export interface Extras {
  /** Searches of the web that the provider made. */
  readonly web_search?: number | undefined;
  /** Searches in stores of files at the provider. */
  readonly file_search?: number | undefined;
  /** Containers that code ran in at the provider. */
  readonly container?: number | undefined;
  /** Images that a tool of the provider made. */
  readonly image?: number | undefined;
  /** The part of the input that was sound; already inside inputTokens. */
  readonly audio_input?: number | undefined;
  /** The parts of the output that were sound and images; already inside outputTokens. */
  readonly audio_output?: number | undefined;
  readonly image_output?: number | undefined;
  /** Absent for the usual one. */
  readonly tier?: ServiceTier | undefined;
}

/** In which way an answer can be made at another price: `us` keeps the data in one country, `us_fast` is both. */
export const serviceTiers = ['flex', 'batch', 'priority', 'ultrafast', 'fast', 'us', 'us_fast'] as const;
export type ServiceTier = (typeof serviceTiers)[number];

/** What a stream has told of them before its end: tools that have run, and the tier once it is said, the usual one too. */
export interface ExtrasSoFar extends Omit<Extras, 'tier'> {
  readonly tier?: ServiceTier | 'usual' | undefined;
}

/** Undefined when there is nothing in them, so that most usage has none. */
export function filledExtras(extras: Extras): Extras | undefined {
  // Almost no answer has any, and a list of what is in them would be the dearest part of reading its counts.
  if (!hasAny(extras)) return undefined;
  return Object.fromEntries(Object.entries(extras).filter(([, value]) => isFilled(value)));
}

function hasAny(extras: Extras): boolean {
  for (const name in extras) if (isFilled(Reflect.get(extras, name))) return true;
  return false;
}

const isFilled = (value: unknown): boolean => value !== undefined && value !== 0;

/** What is not counted in tokens. */
export interface UnitUsage {
  /** Of audio that was listened to. */
  readonly audioMs: number;
  /** Unicode code points of text that was spoken. */
  readonly characters: number;
  /** Searches as the providers of rerankers bill them. */
  readonly rerankUnits: number;
}

/** Units that are left out were not used. */
export type Usage = TokenUsage & Partial<UnitUsage>;

export const noUsage: TokenUsage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};

/** What a key's tokens a minute are counted by. */
export function totalTokens(usage: TokenUsage): number {
  return (
    usage.inputTokens +
    usage.cacheReadTokens +
    usage.cacheWrite5mTokens +
    usage.cacheWrite1hTokens +
    usage.outputTokens
  );
}

/** Of two answers to one request. The tier is the later one's, where that says. */
export function sumOf(a: TokenUsage, b: TokenUsage): TokenUsage {
  const extras: Record<string, unknown> = { ...a.extras };
  for (const [name, value] of Object.entries(b.extras ?? {})) {
    extras[name] = typeof value === 'number' ? value + Number(extras[name] ?? 0) : value;
  }
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWrite5mTokens: a.cacheWrite5mTokens + b.cacheWrite5mTokens,
    cacheWrite1hTokens: a.cacheWrite1hTokens + b.cacheWrite1hTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    estimated: a.estimated || b.estimated,
    extras: filledExtras(extras),
  };
}
