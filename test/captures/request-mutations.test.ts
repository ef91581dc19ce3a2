/** The comparison of requests itself: it notices every fault that a converter could make in what it writes. */
import { describe, expect, test } from 'bun:test';
import { AppError } from '../../src/base/errors.ts';
import { hasRecordings } from '../../src/protocols/testing/recordings.ts';
import { compareRequest, convert, everyRequest } from './compare-requests.ts';
import { mutationsOf } from './mutations.ts';

/** Of one kind, in all recordings of one pair together. */
const mostOfOneKind = 6;
const timeoutMs = 180_000;

/** Faults that are never noticed, with the reason: the protocol of the request, what was done, and where. */
const notCompared: Readonly<Record<string, string>> = {
  'anthropic drop .model': 'the caller of the comparison chose it',
  'anthropic change .model': 'the caller of the comparison chose it',
  'chat-completions drop .model': 'the caller of the comparison chose it',
  'chat-completions change .model': 'the caller of the comparison chose it',
  'responses drop .model': 'the caller of the comparison chose it',
  'responses change .model': 'the caller of the comparison chose it',
  'anthropic drop .messages[].content[].cache_control':
    'marks change the price of an answer, never the answer',
  'anthropic drop .messages[].content[].cache_control.type':
    'marks change the price of an answer, never the answer',
  'anthropic change .messages[].content[].cache_control.type':
    'marks change the price of an answer, never the answer',
  'chat-completions drop .messages[].reasoning_details[].format': 'the signature itself is compared',
  'chat-completions change .messages[].reasoning_details[].format': 'the signature itself is compared',
  'chat-completions drop .messages[].reasoning_details[].index': 'their order is compared',
  'chat-completions change .messages[].reasoning_details[].index': 'their order is compared',
  'chat-completions drop .tools[].custom.format': 'text is what it is without',
  'google change .contents[].parts[].fileData.mimeType': 'guessed from the name of the file',
  'google drop .contents[].parts[].functionResponse.id': 'found by its name and order as well',
  'google drop .generationConfig.thinkingConfig.includeThoughts':
    'thinking that is shown is not asked differently',
  'google change .generationConfig.thinkingConfig.includeThoughts':
    'thinking that is shown is not asked differently',
  'responses drop .reasoning.summary': 'thinking that is shown is not asked differently',
  'responses change .reasoning.summary': 'thinking that is shown is not asked differently',
  'responses swap .include': 'they are a set',
};

/** Faults that are none in some requests, and that must be noticed in others. */
const sometimesNone: Readonly<Record<string, string>> = {
  'chat-completions drop .messages[].reasoning_content': 'said twice where the details say it too',
  'chat-completions drop .messages[].reasoning_details[]': 'said twice where it has no signature',
  'chat-completions drop .messages[].reasoning_details[].text': 'said twice where it has no signature',
  'chat-completions drop .messages[].tool_calls[].function.arguments': 'none are the same as an empty object',
  'chat-completions swap .messages[].reasoning_details': 'their order says nothing about calls',
  'google drop .contents[].parts[].fileData.mimeType': 'what nothing is said of is taken for an image',
  'google change .generationConfig.thinkingConfig.thinkingBudget': 'compared by how much it is, roughly',
  'google multiply .generationConfig.thinkingConfig.thinkingBudget': 'much is as much as very much',
  'responses drop .include': 'what answers bring along is not compared, but for logprobs',
  'responses drop .include[]': 'what answers bring along is not compared, but for logprobs',
  'responses change .include[]': 'what answers bring along is not compared, but for logprobs',
  'responses drop .input[].type': 'a message needs none',
};

/** The faults that were once overlooked, or would be dearest. */
const seeded: readonly string[] = [
  'anthropic change .messages[].content[].text',
  'anthropic change .messages[].content[].input inside',
  'anthropic change .messages[].content[].source.data',
  'anthropic change .messages[].role',
  'anthropic change .stop_sequences[]',
  'anthropic change .max_tokens',
  'anthropic change .tools[].name',
  'anthropic change .tools[].input_schema inside',
  'anthropic change .tool_choice.name',
  'anthropic change .output_config.format.schema inside',
  'anthropic change .temperature',
  'anthropic drop .system[]',
  'anthropic drop .messages[]',
  'anthropic drop .messages[].content[]',
  'anthropic drop .messages[].content[].is_error',
  'anthropic swap .messages',
  'chat-completions change .messages[].content',
  'chat-completions change .messages[].content[].text',
  'chat-completions change .messages[].content[].image_url.url',
  'chat-completions change .messages[].content[].file.file_data',
  'chat-completions change .messages[].role',
  'chat-completions change .messages[].tool_call_id',
  'chat-completions change .messages[].tool_calls[].function.arguments',
  'chat-completions change .messages[].tool_calls[].function.name',
  'chat-completions change .max_completion_tokens',
  'chat-completions change .stop[]',
  'chat-completions change .seed',
  'chat-completions change .tools[].function.name',
  'chat-completions change .tools[].function.parameters inside',
  'chat-completions change .response_format.json_schema.schema inside',
  'chat-completions drop .messages[]',
  'chat-completions drop .messages[].content[]',
  'chat-completions swap .messages',
  'responses change .input[].content',
  'responses change .input[].content[].text',
  'responses change .input[].content[].image_url',
  'responses change .input[].content[].file_data',
  'responses change .input[].arguments',
  'responses change .input[].output',
  'responses change .input[].call_id',
  'responses change .input[].role',
  'responses change .instructions',
  'responses change .max_output_tokens',
  'responses change .parallel_tool_calls',
  'responses change .tool_choice',
  'responses change .tools[].name',
  'responses change .tools[].parameters inside',
  'responses change .text.format.schema inside',
  'responses drop .input[]',
  'responses drop .input[].content[]',
  'responses swap .input',
  'google change .contents[].parts[].text',
  'google change .contents[].parts[].functionCall.args inside',
  'google change .contents[].parts[].functionCall.name',
  'google change .contents[].parts[].functionResponse.response inside',
  'google change .contents[].parts[].inlineData.data',
  'google change .contents[].role',
  'google change .generationConfig.maxOutputTokens',
  'google change .generationConfig.stopSequences[]',
  'google change .generationConfig.temperature',
  'google change .generationConfig.topK',
  'google change .generationConfig.responseJsonSchema inside',
  'google change .systemInstruction.parts[].text',
  'google change .toolConfig.functionCallingConfig.allowedFunctionNames[]',
  'google change .tools[].functionDeclarations[].name',
  'google drop .contents[].parts[]',
  'google drop .contents[]',
  'google swap .contents',
];

describe.skipIf(!hasRecordings)('the comparison of requests', () => {
  test(
    'notices every change, every loss and every swap in a converted request',
    () => {
      const { tries, noticed, overlooked } = mutateAll();
      const isExcused = (kind: string) =>
        Object.hasOwn(notCompared, kind) || Object.hasOwn(sometimesNone, kind);
      expect(seeded.filter((kind) => !noticed.has(kind))).toEqual([]);
      expect([...overlooked].filter(([kind]) => !isExcused(kind) || seeded.includes(kind))).toEqual([]);
      // An excuse that is wider than it must be would hide a reader that went blind.
      const excused = [...Object.keys(notCompared), ...Object.keys(sometimesNone)];
      expect(excused.filter((kind) => !overlooked.has(kind))).toEqual([]);
      expect(Object.keys(notCompared).filter((kind) => noticed.has(kind))).toEqual([]);
      expect(Object.keys(sometimesNone).filter((kind) => !noticed.has(kind))).toEqual([]);
      expect(noticed.size + Object.keys(notCompared).length).toBeGreaterThan(350);
      expect(tries.size).toBeGreaterThan(1000);
    },
    timeoutMs,
  );
});

/** Which kinds of faults were noticed, and which were overlooked somewhere, with one case for each. */
function mutateAll() {
  const tries = new Map<string, number>();
  const noticed = new Set<string>();
  const overlooked = new Map<string, string>();
  for (const { of, request } of everyRequest()) {
    const converted = convert(of, request);
    if (converted instanceof AppError) continue;
    // What differs as it is would pass for a fault that was noticed.
    if (compareRequest(of, request, converted).outcome === 'failure') continue;
    for (const { what, json } of mutationsOf(converted)) {
      const kind = `${of.to} ${what}`;
      const ofPair = `${of.from} to ${kind}`;
      const times = tries.get(ofPair) ?? 0;
      if (times >= mostOfOneKind) continue;
      tries.set(ofPair, times + 1);
      if (compareRequest(of, request, json()).outcome === 'failure') noticed.add(kind);
      else overlooked.set(kind, `${of.from} ${of.name} ${of.file}`);
    }
  }
  return { tries, noticed, overlooked };
}
