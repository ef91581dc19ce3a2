/** The comparison of requests itself: it notices every fault that a converter could make in what it writes. */
import { describe, expect, test } from 'bun:test';
import { AppError } from '../../src/base/errors.ts';
import { hasRecordings } from '../../src/protocols/testing/recordings.ts';
import { compareRequest, convert, everyRequest } from './compare-requests.ts';
import { mutationsOf } from './mutations.ts';

/** Of one kind, in all recordings together. */
const mostOfOneKind = 12;
const timeoutMs = 180_000;

/** What is not compared, with the reason. */
const notCompared: Readonly<Record<string, string>> = {
  'anthropic .model': 'the caller of the comparison chose it',
  'chat-completions .model': 'the caller of the comparison chose it',
  'responses .model': 'the caller of the comparison chose it',
  'anthropic .messages[].content[].cache_control': 'marks change the price of an answer, never the answer',
  'anthropic .messages[].content[].cache_control.type':
    'marks change the price of an answer, never the answer',
  'chat-completions .messages[].reasoning_content': 'said twice: the details say it too',
  'chat-completions .messages[].reasoning_details': 'their order says nothing about calls',
  'chat-completions .messages[].reasoning_details[]': 'said twice: the content says it too',
  'chat-completions .messages[].reasoning_details[].text': 'said twice: the content says it too',
  'chat-completions .messages[].reasoning_details[].format': 'the signature itself is compared',
  'chat-completions .messages[].reasoning_details[].index': 'their order is compared',
  'chat-completions .messages[].tool_calls[].function.arguments': 'none are the same as an empty object',
  'chat-completions .tools[].custom.format': 'text is what it is without',
  'google .contents[].parts[].fileData.mimeType': 'guessed from the name of the file',
  'google .contents[].parts[].functionResponse.id': 'found by its name as well',
  'google .generationConfig.thinkingConfig.includeThoughts':
    'thinking that is shown is not asked differently',
  'google .generationConfig.thinkingConfig.thinkingBudget': 'compared by how much it is, roughly',
  'responses .include': 'asks for what answers bring along',
  'responses .include[]': 'asks for what answers bring along',
  'responses .input[].type': 'a message needs none',
  'responses .reasoning.summary': 'thinking that is shown is not asked differently',
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
      const { kinds, overlooked } = mutateAll();
      expect(seeded.filter((kind) => !kinds.has(kind))).toEqual([]);
      expect([...overlooked].filter(([place]) => notCompared[place] === undefined)).toEqual([]);
      expect(Object.keys(notCompared).filter((place) => !overlooked.has(place))).toEqual([]);
      expect(kinds.size).toBeGreaterThan(350);
    },
    timeoutMs,
  );
});

/** The kinds that were tried, and where some were overlooked, with one case for each place. */
function mutateAll() {
  const kinds = new Map<string, number>();
  const overlooked = new Map<string, string>();
  for (const { of, request } of everyRequest()) {
    const converted = convert(of, request);
    if (converted instanceof AppError) continue;
    for (const { what, json } of mutationsOf(converted)) {
      const kind = `${of.to} ${what}`;
      const times = kinds.get(kind) ?? 0;
      kinds.set(kind, times + 1);
      if (times >= mostOfOneKind || compareRequest(of, request, json()).outcome === 'failure') continue;
      const place = `${of.to} ${what.slice(what.indexOf(' ') + 1)}`;
      overlooked.set(place, `${what}: ${of.from} ${of.name} ${of.file}`);
    }
  }
  return { kinds, overlooked };
}
