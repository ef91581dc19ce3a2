/** Writes the turn as a Converse request. Model and stream are not in it: they stand in the address. */
import type { JsonObject } from '../json/fields.ts';
import { writeReasoning } from '../messages/reasoning.ts';
import { fitToModel, samplingFor } from '../messages/write-request.ts';
import type { UpstreamModel } from '../protocol.ts';
import { closeSchema, withClosableFormat } from '../turn/closed-schema.ts';
import { refuse } from '../turn/refuse.ts';
import { type ResponseFormat, type Sampling, type TurnRequest, withinBound } from '../turn/request.ts';
import { askForSchema } from '../turn/schema.ts';
import { DocumentNames } from './media.ts';
import { type ModelTraits, readModelTraits } from './models.ts';
import { writeConversation } from './write-messages.ts';
import { writeToolUse } from './write-tools.ts';

/** Beside a budget for thinking there must be a bound; this one holds when the catalogue knows none. */
const answerTokens = 8192;

/** What may stand in the values that filter the account's own logs. */
const loggable = /^[\w\s:@$#=/+,.-]{1,256}$/;

/**
 * @param buckets that callers may name files in.
 * @throws AppError invalid_parameter for what the protocol cannot hold.
 */
export function writeConverseTurn(
  asked: TurnRequest,
  model: UpstreamModel,
  buckets: ReadonlySet<string> = new Set(),
): string {
  const traits = readModelTraits(model.id);
  const bounded = withClosableFormat(withSchemaIn(withinBound(asked, model), traits));
  const turn = traits.claude === null ? bounded : fitToModel(bounded, traits.claude);
  if (turn.choices !== undefined) throw refuse('more than one choice', 'n');
  const thinking = writeThinking(turn, model, traits);
  const { toolConfig, claudeChoice } = writeToolUse(turn, traits);
  const sampling = writeSampling(turn.sampling, traits, thinking.isOn);
  // A sequence of blanks alone is refused.
  const stopSequences = turn.stopSequences.filter((sequence) => sequence.trim() !== '');
  const hasStops = stopSequences.length > 0;
  const { userId } = turn;
  return JSON.stringify({
    ...writeConversation(turn, { traits, buckets, names: new DocumentNames() }),
    inferenceConfig: unlessEmpty({
      maxTokens: turn.maxOutputTokens ?? thinking.boundTokens,
      temperature: sampling.temperature,
      topP: sampling.topP,
      stopSequences: hasStops ? stopSequences : undefined,
    }),
    toolConfig,
    outputConfig: writeFormat(turn.responseFormat),
    additionalModelRequestFields: unlessEmpty({
      thinking: thinking.thinking,
      output_config: thinking.effort === undefined ? undefined : { effort: thinking.effort },
      tool_choice: claudeChoice,
      top_k: sampling.topK,
    }),
    // Which sequence was met is Claude's to tell; the API itself does not.
    additionalModelResponseFieldPaths:
      hasStops && traits.claude !== null ? ['/delta/stop_sequence'] : undefined,
    requestMetadata: userId !== undefined && loggable.test(userId) ? { user_id: userId } : undefined,
  });
}

function withSchemaIn(turn: TurnRequest, { schemas }: ModelTraits): TurnRequest {
  const { responseFormat: format } = turn;
  if (schemas || format?.type !== 'json_schema') return turn;
  return { ...askForSchema(turn, format.schema), responseFormat: undefined };
}

interface WrittenThinking {
  readonly thinking?: JsonObject | undefined;
  readonly effort?: string | undefined;
  readonly boundTokens?: number | undefined;
  readonly isOn: boolean;
}

/** The API has no words for it, so only Claude is told, in its own. */
function writeThinking(turn: TurnRequest, model: UpstreamModel, { claude }: ModelTraits): WrittenThinking {
  if (claude === null || model.reasons === false) return { isOn: false };
  const { thinking, effort, budgetTokens } = writeReasoning(turn, claude, model);
  return {
    thinking,
    effort,
    boundTokens: budgetTokens > 0 ? (model.maxOutputTokens ?? answerTokens + budgetTokens) : undefined,
    isOn: thinking !== undefined && thinking['type'] !== 'disabled',
  };
}

function writeSampling(sampling: Sampling, { claude }: ModelTraits, isThinking: boolean): Sampling {
  if (claude !== null) return samplingFor(sampling, claude, isThinking);
  const { temperature, topP } = sampling;
  return { temperature: temperature === undefined ? undefined : Math.min(1, temperature), topP };
}

/** The schema is text here. What it does not hold of the caller's is told in words, as everywhere it must hold. */
function writeFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  if (format?.type !== 'json_schema') return undefined;
  const { name, description } = format;
  const jsonSchema = { schema: JSON.stringify(closeSchema(format.schema)), name, description };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}

function unlessEmpty(fields: JsonObject): JsonObject | undefined {
  return Object.values(fields).every((value) => value === undefined) ? undefined : fields;
}
