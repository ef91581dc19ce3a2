/** Rerank requests: model, query and documents, and `top_n` and `return_documents` of the known vendors' clients. */
import { z } from 'zod';
import { asFieldIssues, listOf, parseRequestObject } from '../json/body.ts';
import { asList, isJsonObject } from '../json/fields.ts';
import type { RerankRequest } from './rerank.ts';

/** As many as Cohere and Voyage take in one request. */
const mostDocuments = 1000;

const filledText = z.string().min(1, { error: 'must not be empty' });

/** Cohere's older clients wrap each text in an object. */
const document = z.union([filledText, z.object({ text: filledText })], {
  error: 'must be a string, or an object with a string as its text, and not empty',
});

/** Null stands for an absent optional field, as the official clients send it. Unknown fields are left as they are. */
const rerankRequestSchema = z.object({
  model: z.string().min(1).max(256),
  query: filledText,
  documents: listOf(document, { least: 1, most: mostDocuments }),
  top_n: z.int().min(1).nullish(),
  return_documents: z.boolean().nullish(),
  metadata: z
    .object({ session_id: z.string().max(512).nullish(), sticky_key: z.string().max(512).nullish() })
    .nullish(),
});

/** @throws AppError malformed_json when the text is not a JSON object, validation_failed with one entry a field. */
export function readRerankRequest(text: string): RerankRequest {
  const json = parseRequestObject(text);
  const parsed = rerankRequestSchema.safeParse(json);
  if (!parsed.success) throw asFieldIssues(parsed.error, json);
  const { model, query, documents, top_n: topN, return_documents: returnDocuments } = parsed.data;
  return {
    text,
    json,
    model,
    query,
    documents: asList(documents).map(textOf),
    topN: topN ?? undefined,
    returnDocuments: returnDocuments === true,
  };
}

/** Of a document that was checked. */
function textOf(document: unknown): string {
  return String(isJsonObject(document) ? document['text'] : document);
}
