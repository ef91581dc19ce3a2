/** A small server that answers official clients with converted answers of a made-up upstream. */
import { FrameSplitter } from '../../base/sse.ts';
import { convert, type ProtocolPair } from '../translate/translate.ts';
import type { InferenceRequest } from '../translator.ts';

export interface UpstreamAnswers {
  /** The frames of a streamed answer. */
  readonly stream?: string;
  readonly whole?: string;
}

export interface ConvertedServer {
  readonly url: string;
  /** What the upstream was sent. */
  readonly sent: Record<string, unknown>[];
  stop(): void;
}

export interface ServedPair extends ProtocolPair {
  /** Whether to stream stands in the path for some. */
  readonly read: (text: string, path: string) => InferenceRequest;
  /** The upstream's model, for which requests are written. */
  readonly upstreamId: string;
  /** One for each request; the last one for all that follow. */
  readonly answers: readonly UpstreamAnswers[];
}

export function serveConverted({ read, upstreamId, answers, ...pair }: ServedPair): ConvertedServer {
  const translator = convert(pair);
  const sent: Record<string, unknown>[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    error: (error) => Response.json({ error: { message: error.message } }, { status: 500 }),
    async fetch(http) {
      const request = read(await http.text(), new URL(http.url).pathname);
      sent.push(JSON.parse(translator.writeRequest(request, upstreamId)));
      const answer = answers[Math.min(sent.length, answers.length) - 1] ?? {};
      if (!request.stream) {
        return new Response(translator.readAnswer(answer.whole ?? '', request).body, {
          headers: { 'content-type': 'application/json' },
        });
      }
      const stream = translator.openStream(request);
      const splitter = new FrameSplitter(1_000_000);
      const out: Uint8Array[] = [];
      for (const piece of pieces(answer.stream ?? '')) {
        const block = splitter.push(piece);
        if (block.length > 0) out.push(stream.push(block));
      }
      if (stream.complaint !== null) throw new Error(stream.complaint.message);
      if (!stream.isComplete) throw new Error('the upstream did not finish');
      out.push(stream.end());
      return new Response(Buffer.concat(out), { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, sent, stop: () => void server.stop(true) };
}

/** Cut so that frames and characters fall apart. */
function* pieces(text: string): Generator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 17) yield bytes.subarray(at, at + 17);
}
