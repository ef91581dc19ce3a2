/** Models of OpenAI that reason and whose sampling is not the caller's. */
import type { JsonObject } from '../json.ts';

const models = /^(o[1-9](-|$)|gpt-5(-(mini|nano|pro))?(-\d{4}-\d\d-\d\d)?$)/;

/** The first parameter that such a model does not take. */
export function findFixedSampling(body: JsonObject, model: string): string | undefined {
  if (!models.test(model)) return undefined;
  return ['temperature', 'top_p'].find((name) => (body[name] ?? 1) !== 1);
}
