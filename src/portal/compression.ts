/** Pages and JSON go compressed to whoever takes them so: they are some tens of kilobytes of repeating markup. */
import type { Context, MiddlewareHandler } from 'hono';
import { accepts } from 'hono/accepts';

/** Better first, where a client takes several. */
const encodings = ['zstd', 'gzip'] as const;
/** What fits into a packet or so goes no faster when it is smaller. */
const leastBytes = 1024;
/** Files carry a compressed copy of their own, and a stream has to go on piece by piece. */
const compressedTypes = /^(?:text\/html|application\/json|application\/xml|text\/plain)\b/;

/** Outermost, so that it is given what is about to leave. */
export const compressAnswers: MiddlewareHandler = async (context, next) => {
  await next();
  const came = context.res.headers;
  if (!compressedTypes.test(came.get('content-type') ?? '') || came.has('content-encoding')) return;
  context.header('vary', 'accept-encoding', { append: true });
  const encoding = encodingFor(context);
  if (encoding === undefined || context.req.method === 'HEAD') return;
  // As a whole: such an answer is in memory anyway, and a stream of pieces costs more than all of the compressing.
  const { status, headers } = context.res;
  const bytes = new Uint8Array(await context.res.arrayBuffer());
  const isCompressed = bytes.length >= leastBytes;
  const body = isCompressed ? compress[encoding](bytes) : bytes;
  const sent = new Headers(headers);
  sent.delete('content-length');
  if (isCompressed) sent.set('content-encoding', encoding);
  // Set to nothing first: otherwise the headers of the answer before are merged into it.
  context.res = undefined;
  context.res = new Response(body, { status, headers: sent });
};

type Encoding = (typeof encodings)[number];

const compress: Readonly<Record<Encoding, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>>> = {
  zstd: (bytes) => new Uint8Array(Bun.zstdCompressSync(bytes, { level: 3 })),
  gzip: (bytes) => Bun.gzipSync(bytes, { level: 5 }),
};

/** Undefined where it goes as it is, which everybody takes. */
function encodingFor(context: Context): Encoding | undefined {
  const chosen = accepts(context, {
    header: 'Accept-Encoding',
    supports: [...encodings],
    default: '',
    match: (asked, { supports, default: none }) =>
      supports.find((name) => asked.some(({ type, q }) => type.toLowerCase() === name && q > 0)) ?? none,
  });
  return encodings.find((name) => name === chosen);
}
