/** What hosts really answered, read in their presets: every word, every call, and counts that can be paid for. */
import { describe, expect, test } from 'bun:test';
import type { TokenUsage } from '../../base/token-usage.ts';
import { readChatRequest } from '../../protocols/chat-completions/request.ts';
import { asFilledText, asObject, asObjects, asText, tryParseJson } from '../../protocols/json/fields.ts';
import { hasRecordings, recordedStreams, recordedWholes } from '../../protocols/testing/recordings.ts';
import type { TurnEvent } from '../../protocols/turn/events.ts';
import { presetAdapters } from './openai.ts';

/** The folder of the recordings, and whose answers they are. */
const hosts = [
  ['deepseek/chat', 'deepseek'],
  ['mistral', 'mistral'],
  ['xai', 'xai'],
  ['openai-compatible/chat', 'xai'],
  ['moonshotai', 'moonshot'],
  // As it answered until 2026-09-27, and proxies in front of it do.
  ['perplexity', 'litellm'],
  ['alibaba', 'alibaba'],
] as const;

function upstreamOf(kind: string) {
  const [chat] = presetAdapters.find((adapter) => adapter.kind === kind)?.supports({}).chat ?? [];
  if (chat === undefined) throw new Error(`${kind} does not chat`);
  return chat.protocol;
}

/** Text, thinking and calls, taken out of a message or joined from deltas without the code under test. */
class Said {
  text = '';
  thinking = '';
  calls: string[] = [];

  add(message: Readonly<Record<string, unknown>>): void {
    const { content } = message;
    if (typeof content === 'string') this.text += content;
    else for (const part of asObjects(content)) this.#addPart(part);
    this.thinking += asText(message['reasoning_content']) ?? asText(message['reasoning']) ?? '';
    for (const call of asObjects(message['tool_calls'])) {
      const name = asFilledText(asObject(call['function'])?.['name']);
      if (name !== undefined) this.calls.push(name);
    }
  }

  #addPart(part: Readonly<Record<string, unknown>>): void {
    this.text += asText(part['text']) ?? '';
    for (const piece of asObjects(part['thinking'])) this.thinking += asText(piece['text']) ?? '';
  }
}

/** All that was generated is paid for, wherever the host counts its reasoning. */
function expectWholeCounts(usage: TokenUsage | null, json: unknown): void {
  const counted = asObject(asObject(json)?.['usage']) ?? {};
  const { inputTokens = 0, cacheReadTokens = 0, outputTokens = 0 } = usage ?? {};
  expect(inputTokens + cacheReadTokens).toBe(Number(counted['prompt_tokens']));
  expect(inputTokens + cacheReadTokens + outputTokens).toBe(Number(counted['total_tokens']));
}

const whole = hosts.flatMap(([folder, kind]) =>
  recordedWholes(folder)
    .filter(({ text }) => asObjects(asObject(tryParseJson(text))?.['choices']).length > 0)
    .map(({ name, text }) => ({ name, text, kind })),
);
const streams = hosts.flatMap(([folder, kind]) =>
  recordedStreams(folder).map((stream) => ({ ...stream, kind })),
);

describe.skipIf(!hasRecordings)('answers of hosts (the recordings are not here when this is skipped)', () => {
  test('are there', () => {
    expect(new Set(whole.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(6);
    expect(streams.length).toBeGreaterThan(5);
  });

  test.each(whole)('$name is read without loss', ({ text, kind }) => {
    const json: unknown = JSON.parse(text);
    const said = new Said();
    said.add(asObject(asObjects(asObject(json)?.['choices'])[0]?.['message']) ?? {});
    const answer = upstreamOf(kind).readAnswer(json);
    const content = answer.choices[0]?.content ?? [];
    expect(content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')).toBe(said.text);
    expect(content.flatMap((block) => (block.type === 'thinking' ? [block.text] : [])).join('')).toBe(
      said.thinking,
    );
    expect(content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))).toEqual(said.calls);
    expectWholeCounts(answer.usage, json);
    const request = readChatRequest('{"model":"m","messages":[{"role":"user","content":"hi"}]}');
    const passed = upstreamOf(kind).passthrough?.readAnswer(text, request);
    const message = asObject(asObjects(asObject(json)?.['choices'])[0]?.['message']);
    if (Array.isArray(message?.['content'])) {
      // Official clients take a text, with thoughts beside it.
      const told = asObject(asObjects(asObject(JSON.parse(passed?.body ?? ''))?.['choices'])[0]?.['message']);
      expect(told).toMatchObject({ content: said.text, reasoning_content: said.thinking });
    } else expect(passed?.body).toBe(text);
    expect(passed?.usage).toEqual(answer.usage);
  });

  test.each(streams)('$name is read without loss', ({ lines, kind }) => {
    const said = new Said();
    const events: TurnEvent[] = [];
    const reader = upstreamOf(kind).openReader();
    let counted: unknown;
    for (const line of [...lines, '[DONE]']) {
      reader.read(line, events);
      const chunk = asObject(tryParseJson(line));
      if (asObject(chunk?.['usage']) !== undefined) counted = chunk;
      said.add(asObject(asObjects(chunk?.['choices'])[0]?.['delta']) ?? {});
    }
    const heard = (kindOfDelta: string) =>
      events.flatMap((event) => (event.type === 'delta' && event.kind === kindOfDelta ? [event.text] : []));
    expect(heard('text').join('')).toBe(said.text);
    expect(heard('thinking').join('')).toBe(said.thinking);
    expect(reader.complaint).toBeNull();
    const usages = events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));
    expectWholeCounts(usages.at(-1) ?? null, counted);
  });

  const transcriptions = recordedWholes('mistral').filter(({ name }) => name.includes('transcription'));
  test.each(transcriptions)('$name, a transcription, is read without loss', ({ text }) => {
    const mistral = presetAdapters.find(({ kind }) => kind === 'mistral');
    const json: unknown = JSON.parse(text);
    const answer = mistral?.supports({}).transcription?.protocol.readAnswer(json);
    expect<unknown>(answer?.text).toBe(asObject(json)?.['text']);
    const usage = asObject(asObject(json)?.['usage']);
    expect(answer?.durationMs).toBe(Number(usage?.['prompt_audio_seconds']) * 1000);
  });
});
