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
  const isForeign = holdsForeignThinking(text);
  const messages = isForeign
    ? withoutForeignThinking(asObjects(asObject(tryParseSpelled(text))?.['messages']))
    : asObjects(json['messages']);
  if (isForeign) members.set('messages', JSON.stringify(messages));
  fitToModel(members, { json, messages, isForeign, upstreamId });
  return editMembers(text, members, json);
}

interface Fitting {
  readonly json: JsonObject;
  /** As they are sent. */
  readonly messages: readonly JsonObject[];
  readonly isForeign: boolean;
  readonly upstreamId: string;
}

/** What one generation of models takes the next may refuse, and a client of an alias cannot know which it asks. */
function fitToModel(
  members: Map<string, MemberEdit>,
  { json, messages, isForeign, upstreamId }: Fitting,
): void {
  const model = readClaudeModel(upstreamId);
  if (!model.sampling) {
    for (const name of ['temperature', 'top_p', 'top_k']) if (json[name] != null) members.set(name, null);
  }
  const thinking = asObject(json['thinking']);
  const config = asObject(json['output_config']);
  if (thinking === undefined && config === undefined) return;
  const instead = reasoningInstead(
    {
      thinking,
      effort: config?.['effort'],
      boundTokens: asCount(json['max_tokens']),
      lacksThinking: () => lacksThinking(messages),
    },
    model,
  );
  // With a budget for thinking an upstream refuses steps with tools that were not thought over.
  const isLost = instead.thinking === undefined && thinking?.['type'] === 'enabled' && isForeign;
  setThinking(members, json, isLost && lacksThinking(messages) ? { type: 'disabled' } : instead.thinking);
  setEffort(members, config, instead.effort);
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
