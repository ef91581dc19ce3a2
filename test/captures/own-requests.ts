/** Requests of our own, for what no recording holds: every field that a converted request is compared by. */
import type { JsonObject } from '../../src/protocols/json/fields.ts';
import type { RecordedProtocol } from '../../src/protocols/testing/recordings.ts';

export interface OwnRequest {
  readonly name: string;
  readonly from: RecordedProtocol;
  readonly file: string;
  readonly request: JsonObject;
}

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const pdf = 'JVBERi0xLjQKJSVFT0YK';
const sound = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEA';
const schema = {
  type: 'object',
  properties: {
    lock: { type: 'string', description: 'Its name' },
    metres: { type: 'number' },
    open: { type: 'boolean' },
  },
  required: ['lock', 'metres', 'open'],
  additionalProperties: false,
};
const input = { lock: 'Foxton', metres: 12.5, open: true };

const byCompletions: JsonObject = {
  model: 'm',
  messages: [
    { role: 'system', content: 'You keep a canal.' },
    { role: 'developer', content: 'Answer in words.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is in the picture?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
        { type: 'image_url', image_url: { url: 'https://pictures.test/lock.png', detail: 'high' } },
        { type: 'text', text: 'And in the file?' },
        { type: 'file', file: { filename: 'lock.pdf', file_data: `data:application/pdf;base64,${pdf}` } },
      ],
    },
    {
      role: 'assistant',
      content: 'I look them up.',
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'measure', arguments: JSON.stringify(input) } },
        { id: 'call_2', type: 'function', function: { name: 'drain', arguments: '{"lock":"Caen Hill"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'Twelve and a half metres.' },
    { role: 'tool', tool_call_id: 'call_2', content: 'It is empty.' },
    { role: 'user', content: 'Thank you. And the next?' },
  ],
  tools: [
    { type: 'function', function: { name: 'measure', description: 'Measures a lock', parameters: schema } },
    {
      type: 'function',
      function: {
        name: 'drain',
        description: 'Empties a lock',
        parameters: { type: 'object', properties: { lock: { type: 'string' } }, required: ['lock'] },
      },
    },
  ],
  tool_choice: { type: 'function', function: { name: 'measure' } },
  max_completion_tokens: 321,
  temperature: 0.25,
  seed: 7,
  frequency_penalty: 0.5,
  presence_penalty: -0.5,
  user: 'u-17',
};

const byMessages: JsonObject = {
  model: 'm',
  max_tokens: 321,
  system: [{ type: 'text', text: 'You keep a canal.' }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Measure the lock.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look it up.' },
        { type: 'tool_use', id: 'toolu_1', name: 'measure', input },
        { type: 'tool_use', id: 'toolu_2', name: 'measure', input: { ...input, lock: 'Caen Hill' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [{ type: 'text', text: 'Twelve and a half metres.' }],
        },
        { type: 'tool_result', tool_use_id: 'toolu_2', content: 'There is no such lock.', is_error: true },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
        {
          type: 'document',
          title: 'lock.pdf',
          source: { type: 'base64', media_type: 'application/pdf', data: pdf },
        },
        { type: 'text', text: 'And this one?' },
      ],
    },
  ],
  tools: [{ name: 'measure', description: 'Measures a lock', input_schema: schema }],
  tool_choice: { type: 'any' },
  temperature: 0.25,
  top_k: 40,
  metadata: { user_id: 'u-17' },
};

const byResponses: JsonObject = {
  model: 'm',
  instructions: 'You keep a canal.',
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is in the picture?' },
        { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' },
        { type: 'input_file', filename: 'lock.pdf', file_data: `data:application/pdf;base64,${pdf}` },
      ],
    },
    { type: 'function_call', call_id: 'call_1', name: 'measure', arguments: JSON.stringify(input) },
    { type: 'custom_tool_call', call_id: 'call_2', name: 'note', input: 'The lock is full.' },
    { type: 'function_call_output', call_id: 'call_1', output: 'Twelve and a half metres.' },
    { type: 'custom_tool_call_output', call_id: 'call_2', output: 'Written down.' },
    { role: 'user', content: 'Thank you.' },
  ],
  tools: [
    { type: 'function', name: 'measure', description: 'Measures a lock', parameters: schema, strict: true },
    { type: 'custom', name: 'note', description: 'Writes a note down' },
  ],
  tool_choice: 'required',
  parallel_tool_calls: false,
  max_output_tokens: 321,
  temperature: 0.25,
  user: 'u-17',
  text: { format: { type: 'json_schema', name: 'lock', schema, strict: true } },
};

const byContents: JsonObject = {
  systemInstruction: { parts: [{ text: 'You keep a canal.' }] },
  contents: [
    {
      role: 'user',
      parts: [
        { text: 'What is in the picture?' },
        { inlineData: { mimeType: 'image/png', data: png } },
        { inlineData: { mimeType: 'application/pdf', data: pdf } },
      ],
    },
    {
      role: 'model',
      parts: [
        { functionCall: { name: 'measure', args: input } },
        { functionCall: { name: 'drain', args: { lock: 'Caen Hill' } } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'measure', response: { output: 'Twelve and a half metres.' } } },
        { functionResponse: { name: 'drain', response: { error: 'It is locked.' } } },
      ],
    },
  ],
  tools: [
    {
      functionDeclarations: [
        { name: 'measure', description: 'Measures a lock', parametersJsonSchema: schema },
        { name: 'drain', description: 'Empties a lock', parametersJsonSchema: schema },
      ],
    },
  ],
  toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['measure'] } },
  generationConfig: { maxOutputTokens: 321, temperature: 0.25, topK: 40, seed: 7, candidateCount: 1 },
};

const hello = { role: 'user', content: 'Say it.' };

export const ownRequests: readonly OwnRequest[] = [
  { name: 'everything', from: 'chat-completions', file: 'own', request: byCompletions },
  { name: 'everything', from: 'anthropic', file: 'own', request: byMessages },
  { name: 'everything', from: 'responses', file: 'own', request: byResponses },
  { name: 'everything', from: 'google', file: 'own', request: byContents },
  ...(['chat-completions', 'anthropic'] as const).map((from) => ({
    name: 'stop sequences',
    from,
    file: 'own',
    request: {
      model: 'm',
      max_tokens: 100,
      messages: [hello],
      top_p: 0.5,
      [from === 'anthropic' ? 'stop_sequences' : 'stop']: ['THE END', '###'],
    },
  })),
  {
    name: 'stop sequences',
    from: 'google',
    file: 'own',
    request: {
      contents: [{ role: 'user', parts: [{ text: 'Say it.' }] }],
      generationConfig: { maxOutputTokens: 100, topP: 0.5, stopSequences: ['THE END', '###'] },
    },
  },
  {
    name: 'audio',
    from: 'chat-completions',
    file: 'own',
    request: {
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is said?' },
            { type: 'input_audio', input_audio: { data: sound, format: 'wav' } },
          ],
        },
      ],
      n: 2,
      logprobs: true,
      top_logprobs: 3,
    },
  },
  {
    name: 'logprobs alone',
    from: 'chat-completions',
    file: 'own',
    request: { model: 'm', messages: [hello], logprobs: true },
  },
  {
    name: 'a picture in a tool result',
    from: 'anthropic',
    file: 'own',
    request: {
      model: 'm',
      max_tokens: 100,
      messages: [
        hello,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'measure', input }] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [
                { type: 'text', text: 'As the picture shows.' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
              ],
            },
            { type: 'text', text: 'So?' },
          ],
        },
      ],
      tools: [{ name: 'measure', input_schema: schema }],
    },
  },
];
