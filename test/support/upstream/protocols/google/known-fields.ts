/** The members that a request for content may have, in the spelling that is documented; every other is refused. */
import { isObject } from '../../json.ts';
import { refuse } from './problem.ts';

type Shape = 'any' | { readonly members: () => Members } | { readonly mapOf: () => Members };

/** By name. */
export interface Members {
  readonly [name: string]: Shape;
}

const plain = (...names: readonly string[]): Members =>
  Object.fromEntries(names.map((name) => [name, 'any' as const]));

const object = (members: Members): Shape => ({ members: () => members });

const schema = (): Members => ({
  ...plain('type', 'format', 'title', 'description', 'nullable', 'enum', 'required', 'propertyOrdering'),
  ...plain('maxItems', 'minItems', 'minProperties', 'maxProperties', 'minLength', 'maxLength'),
  ...plain('pattern', 'example', 'default', 'minimum', 'maximum'),
  items: { members: schema },
  anyOf: { members: schema },
  properties: { mapOf: schema },
});

const blob = object(plain('mimeType', 'data', 'displayName'));
const file = object(plain('mimeType', 'fileUri', 'displayName'));

const part = object({
  ...plain('text', 'thought', 'thoughtSignature', 'executableCode', 'codeExecutionResult', 'videoMetadata'),
  ...plain('mediaResolution', 'toolCall', 'toolResponse', 'partMetadata'),
  inlineData: blob,
  fileData: file,
  functionCall: object(plain('id', 'name', 'args')),
  functionResponse: object({
    ...plain('id', 'name', 'response', 'willContinue', 'scheduling'),
    parts: object({ inlineData: blob, fileData: file }),
  }),
});

const contentMembers: Members = { role: 'any', parts: part };

const tools = object({
  ...plain('googleSearch', 'googleSearchRetrieval', 'codeExecution', 'urlContext', 'computerUse'),
  ...plain('googleMaps', 'fileSearch', 'mcpServers'),
  functionDeclarations: object({
    ...plain('name', 'description', 'behavior', 'parametersJsonSchema', 'responseJsonSchema'),
    parameters: { members: schema },
    response: { members: schema },
  }),
});

export const requestMembers: Members = {
  ...plain('model', 'safetySettings', 'cachedContent', 'serviceTier', 'store', 'labels'),
  contents: object(contentMembers),
  systemInstruction: object(contentMembers),
  tools,
  toolConfig: object({
    ...plain('retrievalConfig', 'includeServerSideToolInvocations'),
    functionCallingConfig: object(plain('mode', 'allowedFunctionNames')),
  }),
  generationConfig: object({
    ...plain('stopSequences', 'responseMimeType', 'responseJsonSchema', 'responseModalities'),
    ...plain('maxOutputTokens', 'temperature', 'topP', 'topK', 'seed', 'presencePenalty', 'frequencyPenalty'),
    ...plain('candidateCount', 'responseLogprobs', 'logprobs', 'enableEnhancedCivicAnswers', 'speechConfig'),
    ...plain('imageConfig', 'mediaResolution'),
    responseSchema: { members: schema },
    thinkingConfig: object(plain('includeThoughts', 'thinkingBudget', 'thinkingLevel')),
  }),
};

export function demandKnown(value: unknown, members: Members, place: string): void {
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) demandKnown(entry, members, `${place}[${index}]`);
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const shape = Object.hasOwn(members, name) ? members[name] : undefined;
      if (shape === undefined)
        throw refuse(`The JSON has a field "${name}" at "${place}" that is not known.`);
      demandShape(member, shape, place === '' ? name : `${place}.${name}`);
    }
  }
}

function demandShape(value: unknown, shape: Shape, place: string): void {
  if (shape === 'any') return;
  if ('members' in shape) {
    demandKnown(value, shape.members(), place);
    return;
  }
  for (const [name, entry] of Object.entries(isObject(value) ? value : {})) {
    demandKnown(entry, shape.mapOf(), `${place}.${name}`);
  }
}
