/** One answer before it becomes bytes: what is said, in which pieces, and how it ends. */
import type { FramedMessage } from './delivery/frame-message.ts';
import type { Usage } from './usage.ts';

interface Said {
  /** Content tokens inside. */
  readonly tokens: number;
  readonly usage: Usage | undefined;
}

/** SSE lines without their ends; a comment is an event whose only line starts with a colon. */
export type LineEvent = Said & { readonly lines: readonly string[] };

/** For streams of binary frames. */
export type FrameEvent = Said & { readonly message: FramedMessage };

/** For bodies that are no events at all, such as sound. */
export type BytesEvent = Said & { readonly bytes: Uint8Array };

export type StreamEvent = LineEvent | FrameEvent | BytesEvent;

export interface WholeBody {
  readonly kind: 'whole';
  readonly text: string;
  readonly tokens: number;
  readonly usage: Usage | undefined;
  /** Sends only so many bytes of what the length header promises. */
  readonly cutAtByte?: number;
}

export interface StreamBody {
  readonly kind: 'stream';
  readonly events: readonly StreamEvent[];
}

export type Ending =
  | { readonly kind: 'complete' }
  /** FIN without the end the headers promised. */
  | { readonly kind: 'close' }
  /** RST; the pause lets the client read what was sent before, which an RST would throw away. */
  | { readonly kind: 'reset'; readonly afterMs: number }
  /** Silence, or comments only, until the client goes. */
  | { readonly kind: 'stall'; readonly commentEveryMs: number | undefined };

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** False sends nothing at all before the ending. */
  readonly speaks: boolean;
  readonly body: WholeBody | StreamBody;
  readonly ending: Ending;
}

const complete: Ending = { kind: 'complete' };

export function wholeReply(status: number, contentType: string, body: Omit<WholeBody, 'kind'>): Reply {
  return {
    status,
    headers: { 'content-type': contentType },
    speaks: true,
    body: { kind: 'whole', ...body },
    ending: complete,
  };
}

export function streamReply(
  events: readonly StreamEvent[],
  contentType = 'text/event-stream; charset=utf-8',
): Reply {
  return {
    status: 200,
    headers: { 'content-type': contentType, 'cache-control': 'no-cache' },
    speaks: true,
    body: { kind: 'stream', events },
    ending: complete,
  };
}
