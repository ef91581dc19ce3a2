/** Checks Converse requests as strictly as the API does, so that tests find what it would refuse. */
import { z } from 'zod';
import { asFieldIssues, parseJsonObject } from '../../json/body.ts';
import type { InferenceRequest } from '../../translator.ts';

const name = z.string().regex(/^[\w-]{1,64}$/);
const filledText = z.string().regex(/\S/);
const cachePoint = z.strictObject({ type: z.literal('default'), ttl: z.enum(['5m', '1h']).optional() });
const s3Location = z.strictObject({
  uri: z.string().startsWith('s3://'),
  bucketOwner: z.string().optional(),
});
const stored = z.union([z.strictObject({ bytes: z.base64() }), z.strictObject({ s3Location })]);

const image = z.strictObject({ format: z.enum(['png', 'jpeg', 'gif', 'webp']), source: stored });
const document = z.strictObject({
  format: z.enum(['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md']).optional(),
  name: z.string().regex(/^(?!.*\s\s)[A-Za-z0-9\s\-()[\]]{1,200}$/),
  source: z.union([
    stored,
    z.strictObject({ text: filledText }),
    z.strictObject({ content: z.array(z.strictObject({ text: filledText })).min(1) }),
  ]),
  context: z.string().min(1).optional(),
  citations: z.looseObject({ enabled: z.boolean() }).optional(),
});
const audio = z.strictObject({ format: z.string().min(1), source: stored });

const toolUse = z.strictObject({
  toolUseId: name,
  name,
  input: z.looseObject({}),
  type: z.string().optional(),
});
const toolResult = z.strictObject({
  toolUseId: name,
  content: z.array(
    z.union([
      z.strictObject({ text: filledText }),
      z.strictObject({ json: z.unknown() }),
      z.strictObject({ image }),
      z.strictObject({ document }),
      z.looseObject({ video: z.looseObject({}) }),
      z.looseObject({ searchResult: z.looseObject({}) }),
    ]),
  ),
  status: z.enum(['success', 'error']).optional(),
  type: z.string().optional(),
});
const reasoningContent = z.union([
  z.strictObject({
    reasoningText: z.strictObject({ text: z.string(), signature: z.string().min(1).optional() }),
  }),
  z.strictObject({ redactedContent: z.string().min(1) }),
]);

const block = z.union([
  z.strictObject({ text: filledText }),
  z.strictObject({ image }),
  z.strictObject({ document }),
  z.strictObject({ audio }),
  z.strictObject({ toolUse }),
  z.strictObject({ toolResult }),
  z.strictObject({ reasoningContent }),
  z.strictObject({ cachePoint }),
  z.strictObject({ guardContent: z.looseObject({}) }),
]);

const converseRequestSchema = z.looseObject({
  messages: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant', 'system']), content: z.array(block).min(1) }))
    .min(1),
  system: z
    .array(
      z.union([
        z.strictObject({ text: filledText }),
        z.strictObject({ cachePoint }),
        z.strictObject({ guardContent: z.looseObject({}) }),
      ]),
    )
    .optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(filledText).optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({
      tools: z
        .array(
          z.union([
            z.strictObject({
              toolSpec: z.strictObject({
                name,
                description: z.string().min(1).optional(),
                inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal('object') }) }),
                strict: z.boolean().optional(),
              }),
            }),
            z.strictObject({ cachePoint }),
            z.strictObject({ systemTool: z.strictObject({ name }) }),
          ]),
        )
        .min(1),
      toolChoice: z
        .union([
          z.strictObject({ auto: z.strictObject({}) }),
          z.strictObject({ any: z.strictObject({}) }),
          z.strictObject({ tool: z.strictObject({ name }) }),
        ])
        .optional(),
    })
    .optional(),
  requestMetadata: z.record(z.string().max(256), z.string().max(256)).optional(),
});

/**
 * Model and stream are not told here, since they stand in the address.
 * @throws AppError malformed_json when the text is not a JSON object, validation_failed with one entry a field.
 */
export function readConverseRequest(text: string): InferenceRequest {
  const json = parseJsonObject(text);
  const parsed = converseRequestSchema.safeParse(json);
  if (!parsed.success) throw asFieldIssues(parsed.error, json);
  return { text, json, model: '', stream: false, wantsStreamUsage: true };
}
