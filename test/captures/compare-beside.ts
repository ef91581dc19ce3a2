/** A converted request beside the one that was recorded in the target's own protocol for the same case. */
import type { JsonObject } from '../../src/protocols/json/fields.ts';
import { asObject } from '../../src/protocols/json/fields.ts';
import type { Asked } from './asked/asked.ts';
import { readAsked } from './asked/read-asked.ts';
import { askedDifferently, type Outline } from './asked-differently.ts';
import { applyLosses } from './excuses.ts';
import { type Comparison, differences } from './finding.ts';
import { declaredLosses } from './protocols.ts';

export function compareBeside(
  { name, from, to }: Comparison,
  recorded: JsonObject,
  converted: JsonObject,
): string[] {
  const found = readAsked[to](converted);
  const one = declaredLosses[from];
  const other = declaredLosses[to];
  // What the source could not hold was never asked for there, and what the target cannot hold is not asked for here.
  const bothWays = (asked: Asked) => {
    const there = applyLosses(asked, { from: other, to: one, found }).asked;
    return applyLosses(there, { from: one, to: other, found }).asked;
  };
  const asked = bothWays(readAsked[to](recorded));
  const except = new Set<string>(askedDifferently[name] ?? []);
  return differences(outlineOf(asked), outlineOf(bothWays(found)), except).map(
    (difference) => `beside the recording: ${difference}`,
  );
}

function outlineOf(asked: Asked): Outline {
  const { messages, toolChoice, parallel, stop, temperature, topP, topK, seed, reasoning } = asked;
  return {
    system: asked.system.join('\n'),
    messages,
    tools: asked.tools.map(({ kind, name, description, schema }) => [
      kind,
      name,
      description,
      propertiesOf(schema),
    ]),
    toolChoice,
    parallel,
    stop,
    format: asked.format === undefined ? undefined : propertiesOf(asked.format.schema),
    reasons: reasoning.isOn ?? (reasoning.effort !== undefined && reasoning.effort !== 'none'),
    temperature,
    topP,
    topK,
    seed,
  };
}

const propertiesOf = (schema: unknown): string[] =>
  Object.keys(asObject(asObject(schema)?.['properties']) ?? {});
