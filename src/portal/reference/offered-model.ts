/** Which model an example names: one that is offered here and can answer it. */
import type { CatalogueSnapshot, ModelType } from '../../catalogue/index.ts';
import { offeredModels } from '../model-list/choose-models.ts';
import type { Operation } from './description.ts';

const typesByPath: readonly (readonly [RegExp, ModelType])[] = [
  [/\/embeddings$/, 'embedding'],
  [/\/rerank$/, 'rerank'],
  [/\/audio\/speech$/, 'speech'],
  [/\/audio\/(transcriptions|translations)$/, 'transcription'],
];

const typeOf = ({ path }: Operation): ModelType =>
  typesByPath.find(([pattern]) => pattern.test(path))?.[1] ?? 'chat';

/** Null where no model of the kind is offered. */
function offeredModelFor(operation: Operation, snapshot: CatalogueSnapshot): string | null {
  const type = typeOf(operation);
  return offeredModels(snapshot).find((model) => model.type === type)?.publicId ?? null;
}

/** The example with a model that is offered in place of the one that it names. */
export function withOfferedModel(
  example: unknown,
  operation: Operation,
  snapshot: CatalogueSnapshot,
): unknown {
  if (typeof example !== 'object' || example === null || !('model' in example)) return example;
  return { ...example, model: offeredModelFor(operation, snapshot) ?? example.model };
}
