/**
 * A request from a messages client to a messages upstream. Its bytes pass; it loses what is meant for the gateway,
 * thinking that another vendor's model thought, and what the model behind an alias is known to refuse: a way to be told
 * how much to think, and sampling.
 */
import { asCount, asObject, asObjects, asText, type JsonObject } from '../json/fields.ts';
import { leaveOutRouting } from '../json/routing-metadata.ts';
import { tryParseSpelled } from '../json/spelling.ts';
import { editEntries, editMembers, type MemberEdit } from '../json/text.ts';
import type { InferenceRequest } from '../translator.ts';
import { holdsForeignThinking, lacksThinking, withoutForeignThinking } from './foreign-thinking.ts';
import { readClaudeModel } from './models.ts';
import { reasoningInstead } from './reasoning.ts';

export function passRequest({ text, json }: InferenceRequest, upstreamId: string): string {
  const members = new Map<string, MemberEdit>([['model', JSON.stringify(upstreamId)]]);
  leaveOutRouting(members, json);
  const written = holdsForeignThinking(text)
    ? withoutForeignThinking(asObjects(asObject(tryParseSpelled(text))?.['messages']))
    : null;
  if (written !== null) members.set('messages', JSON.stringify(written));
  fitToModel(members, { json, written, upstreamId });
  return editMembers(text, members, json);
}

interface Fitting {
  readonly json: JsonObject;
  /** The messages where they are not sent as they came. */
  readonly written: readonly JsonObject[] | null;
  readonly upstreamId: string;
}

const samplingNames = ['temperature', 'top_p', 'top_k'] as const;

/** What one generation of models takes the next may refuse, and a client of an alias cannot know which it asks. */
function fitToModel(members: Map<string, MemberEdit>, { json, written, upstreamId }: Fitting): void {
  const thinking = asObject(json['thinking']);
  const config = asObject(json['output_config']);
  const sampling = samplingNames.filter((name) => json[name] != null);
  const saysHow = thinking !== undefined || config !== undefined;
  // Most requests say nothing that depends on the model, and need not have it looked up.
  if (!saysHow && sampling.length === 0) return;
  const model = readClaudeModel(upstreamId);
  if (!model.sampling) leaveOut(members, sampling);
  if (!saysHow) return;
  const lacksThoughts = () => lacksThinking(written ?? asObjects(json['messages']));
  const instead = reasoningInstead(
    {
      thinking,
      effort: config?.['effort'],
      boundTokens: asCount(json['max_tokens']),
      forcesTool: forcesTool(json),
      lacksThinking: lacksThoughts,
    },
    model,
  );
  // With a budget for thinking an upstream refuses steps with tools that were not thought over.
  const isLost = instead.thinking === undefined && thinking?.['type'] === 'enabled' && written !== null;
  // Nor does it take sampling beside one, which the client could not know of.
  if (instead.thinking?.['type'] === 'enabled') leaveOut(members, sampling);
  setThinking(members, json, isLost && lacksThoughts() ? { type: 'disabled' } : instead.thinking);
  setEffort(members, config, instead.effort);
}

function leaveOut(members: Map<string, MemberEdit>, names: readonly string[]): void {
  for (const name of names) members.set(name, null);
}

function forcesTool({ tool_choice, tools }: JsonObject): boolean {
  const type = asObject(tool_choice)?.['type'];
  return (type === 'any' || type === 'tool') && asObjects(tools).length > 0;
}

function setThinking(
  members: Map<string, MemberEdit>,
  json: JsonObject,
  thinking: JsonObject | null | undefined,
): void {
  if (thinking === undefined) return;
  members.set('thinking', thinking && JSON.stringify(thinking));
  if (thinking?.['type'] === 'enabled' || thinking?.['type'] === 'adaptive') return;
  keepThoughts(members, asObject(json['context_management']));
}

/** Who does not think is refused beside an edit that clears thinking. */
function keepThoughts(members: Map<string, MemberEdit>, management: JsonObject | undefined): void {
  const edits = asObjects(management?.['edits']);
  const isClearing = ({ type }: JsonObject) => asText(type)?.startsWith('clear_thinking') === true;
  if (management === undefined || !edits.some(isClearing)) return;
  const isAll = edits.every(isClearing);
  if (isAll && Object.keys(management).length === 1) {
    members.set('context_management', null);
    return;
  }
  const list = management['edits'];
  const clears = Array.isArray(list) ? list.map((edit: unknown) => isClearing(asObject(edit) ?? {})) : [];
  const withoutClearing = (own: string) =>
    editEntries(own, (entry, at) => (clears[at] === true ? null : entry));
  members.set('context_management', (own) =>
    editMembers(own, new Map([['edits', isAll ? null : withoutClearing]])),
  );
}

function setEffort(
  members: Map<string, MemberEdit>,
  config: JsonObject | undefined,
  effort: string | null | undefined,
): void {
  if (effort === undefined) return;
  const written = effort && JSON.stringify(effort);
  if (config === undefined) members.set('output_config', written && JSON.stringify({ effort }));
  else if (effort === null && Object.keys(config).length === 1) members.set('output_config', null);
  else members.set('output_config', (own) => editMembers(own, new Map([['effort', written]])));
}
