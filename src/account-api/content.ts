/** The content that the account API takes and gives: JSON, and nothing else. */
import { AppError } from '../base/errors.ts';
import { readRequestText } from '../base/request-text.ts';
import type { AccountApiServices } from './services.ts';

const mostBodyBytes = 1024 ** 2;
/** Longer lists of types than any client sends. */
const mostTypes = 50;
/** As clients write it; the one without a hyphen is what many of their libraries call it. ASCII is a part of it. */
const utf8Names = ['utf-8', 'utf8', 'us-ascii'];

/** By the most specific of what is named, as HTTP has it. @throws AppError `not_acceptable`. */
export function requireJsonAnswer(accept: string | undefined): void {
  if (accept === undefined || accept.trim() === '') return;
  let best = { specificity: -1, quality: 0 };
  for (const part of accept.split(',').slice(0, mostTypes)) {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const specificity = ['*/*', 'application/*', 'application/json'].indexOf(type);
    if (specificity <= best.specificity) continue;
    const [, quality = '1'] =
      /^q=([\d.]{1,6})$/.exec(parameters.find((one) => one.startsWith('q=')) ?? '') ?? [];
    best = { specificity, quality: Number(quality) };
  }
  if (best.specificity >= 0 && best.quality > 0) return;
  throw new AppError({
    code: 'not_acceptable',
    public: 'Only application/json is offered here. Ask for that, or leave the Accept header out.',
  });
}

/**
 * @throws AppError `unsupported_content_type`, `malformed_json`, `body_too_large`, and what else can go wrong with a body.
 */
export async function readJson(
  http: Request,
  services: Pick<AccountApiServices, 'bodies' | 'deadlines'>,
): Promise<unknown> {
  const [type = '', ...parameters] = (http.headers.get('content-type') ?? '')
    .split(';')
    .map((piece) => piece.trim().toLowerCase());
  const charset = parameters.find((one) => one.startsWith('charset='))?.replaceAll(/^charset=|"/g, '');
  const isUtf8 = charset === undefined || utf8Names.includes(charset);
  const encoding = http.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (type !== 'application/json' || !isUtf8 || encoding !== 'identity') {
    throw new AppError({
      code: 'unsupported_content_type',
      public: 'Send the body as `Content-Type: application/json`, in UTF-8 and without a content encoding.',
    });
  }
  const text = await readRequestText(http, services, { maxBytes: mostBodyBytes, mustBeUtf8: true });
  if (text.trim() === '') {
    throw new AppError({ code: 'malformed_json', public: 'The body is empty; it has to be JSON.' });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError({ code: 'malformed_json', public: 'The body is not valid JSON.', cause });
  }
}
