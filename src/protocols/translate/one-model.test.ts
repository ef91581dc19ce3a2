/** Whatever a body is, the upstream is told of one model, and of the one that was allowed and priced here. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../base/errors.ts';
import { chatPassthrough } from '../chat-completions/passthrough.ts';
import { readChatRequest } from '../chat-completions/request.ts';
import { openaiEmbeddings } from '../embeddings/openai.ts';
import { readEmbeddingsRequest } from '../embeddings/request.ts';
import { googlePassthrough } from '../google/passthrough.ts';
import { readGoogleRequest } from '../google/request.ts';
import { messagesPassthrough } from '../messages/passthrough.ts';
import { readMessagesRequest } from '../messages/request.ts';
import { nativeUpstream, readNativeRequest } from '../native/protocol.ts';
import { vllmRerank } from '../rerank/host.ts';
import { readRerankRequest } from '../rerank/request.ts';
import { responsesPassthrough } from '../responses/passthrough.ts';
import { readResponsesRequest } from '../responses/request.ts';
import { openaiSpeech } from '../speech/openai.ts';
import { readSpeechRequest } from '../speech/request.ts';

const asked = 'asked';
const ours = 'ours';
const messages = '"messages":[{"role":"user","content":"model, \\"model\\":\\"x\\""}]';

interface Way {
  readonly sound: string;
  /** What stands for the model at the upstream. */
  readonly model: string | null;
  pass(text: string): string;
}

const ways: Readonly<Record<string, Way>> = {
  chat: {
    sound: messages,
    model: ours,
    pass: (text) => chatPassthrough.writeRequest(readChatRequest(text), ours),
  },
  messages: {
    sound: `"max_tokens":9,${messages}`,
    model: ours,
    pass: (text) => messagesPassthrough.writeRequest(readMessagesRequest(text), ours),
  },
  responses: {
    sound: '"input":"hello"',
    model: ours,
    pass: (text) => responsesPassthrough.writeRequest(readResponsesRequest(text), ours),
  },
  native: {
    sound: '"input":[],"stream":true',
    model: asked,
    pass: (text) => nativeUpstream.passthrough.writeRequest(readNativeRequest(text), ours),
  },
  google: {
    sound: '"contents":[{"parts":[{"text":"hello"}]}]',
    model: null,
    pass: (text) =>
      googlePassthrough.writeRequest(readGoogleRequest(text, { model: asked, stream: false }), ours),
  },
  embeddings: {
    sound: '"input":"hello"',
    model: ours,
    pass: (text) => openaiEmbeddings().writeRequest(readEmbeddingsRequest(text), ['hello'], ours),
  },
  rerank: {
    sound: '"query":"q","documents":["d"]',
    model: ours,
    pass: (text) => vllmRerank.writeRequest(readRerankRequest(text), ['d'], ours),
  },
  speech: {
    sound: '"input":"hello","voice":"alloy"',
    model: ours,
    pass: (text) => openaiSpeech().writeRequest(readSpeechRequest(text), ours).body,
  },
};

/** As JSON text, so that the same name can be there twice and in any spelling. */
const member = fc
  .tuple(
    fc.constantFrom(
      ...['"model"', '"Model"', '"MODEL"', '"mod\\u0065l"', '"\\u004dodel"', '"models"', '"x"', '"metadata"'],
      ...['"stream_options"', '"Stream"', '"\\u017ftream"', '"user"', '"message\\u017f"'],
    ),
    fc.constantFrom('"other"', '["other"]', '{"model":"other"}', 'null', '{"include_usage":false}', '7'),
  )
  .map(([name, value]) => `${name}:${value}`);

/** Told apart by eye and not by the code under test: the names at the outermost level, as they are spelt. */
function namesIn(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && token.endsWith(':')) names.push(String(JSON.parse(token.slice(0, -1).trim())));
  }
  return names;
}

const isModel = (name: string): boolean => /^model$/iu.test(name);

test.each(Object.entries(ways))('%s: exactly one model goes to the upstream, ours', (_name, way) => {
  let passed = 0;
  fc.assert(
    fc.property(fc.array(member, { maxLength: 4 }), fc.nat(4), (members, at) => {
      const all = members.toSpliced(at, 0, `"model":"${asked}"`, way.sound);
      const text = `{ ${all.join(', ')} }`;
      let sent: string;
      try {
        sent = way.pass(text);
      } catch (refusal) {
        expect(refusal).toBeInstanceOf(AppError);
        return;
      }
      passed += 1;
      const names = namesIn(sent);
      expect(names.filter(isModel)).toEqual(way.model === null ? [] : ['model']);
      expect(new Set(names).size).toBe(names.length);
      expect(JSON.parse(sent).model).toBe(way.model ?? undefined);
    }),
    { numRuns: 400 },
  );
  expect(passed).toBeGreaterThan(10);
});
