import { describe, expect, test } from 'bun:test';
import { AppError } from '../../base/errors.ts';
import { chatClient } from '../chat-completions/protocol.ts';
import { isJsonObject } from '../json/fields.ts';
import { messagesClient } from '../messages/protocol.ts';
import { hasRecordings, readRecording, recordedCases } from '../testing/recordings.ts';
import { converseUpstream } from './protocol.ts';
import { converseClient } from './testing/client.ts';
import { readConverseRequest } from './testing/request.ts';

const clients = { anthropic: messagesClient, 'chat-completions': chatClient() } as const;

const cases = (['anthropic', 'chat-completions'] as const).flatMap((from) =>
  recordedCases(from).flatMap((name) =>
    ['request', 'followup-request'].flatMap((file) => {
      const text = readRecording(name, from, file);
      return text === null ? [] : [{ name, from, file, text }];
    }),
  ),
);

/** What was converted, or the field for which it was refused. */
function convert({ from, text }: (typeof cases)[number]): Record<string, unknown> | string {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error('a request that is no JSON object');
  try {
    const turn = clients[from].readRequest(json);
    return { ...readConverseRequest(converseUpstream().writeRequest(turn, { id: 'claude-opus-4-6' })).json };
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_parameter') return error.param ?? '';
    throw error;
  }
}

describe.skipIf(!hasRecordings)(
  'recorded requests (the recordings are not here when this is skipped)',
  () => {
    test.each(cases)('$name, $file of $from: it is valid, or refused for a reason', (one) => {
      const converted = convert(one);
      if (typeof converted === 'string') expect(['messages', 'tools', 'n']).toContain(converted);
      else expect(converseClient.readRequest(converted).messages.length).toBeGreaterThan(0);
    });

    test('most of them are taken', () => {
      const taken = cases.filter((one) => typeof convert(one) !== 'string');
      expect(taken.length / cases.length).toBeGreaterThan(0.7);
    });
  },
);
