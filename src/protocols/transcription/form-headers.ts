/** The headers of a form that is uploaded: the boundary between its parts, and what stands in front of each part. */
import { AppError } from '../../base/errors.ts';

const formType = /^multipart\/form-data\s*(?:;|$)/i;
const boundaryParameter = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^;\s]*))/i;
const longestBoundary = 200;

/** @throws AppError unsupported_content_type, malformed_request when the boundary is missing. */
export function readBoundary(contentType: string | null): string {
  if (contentType === null || !formType.test(contentType)) {
    const found = contentType === null ? 'there is none' : `not ${contentType.slice(0, 100)}`;
    throw new AppError({
      code: 'unsupported_content_type',
      public: `The content type must be multipart/form-data; ${found}.`,
    });
  }
  const [, quoted, plain] = boundaryParameter.exec(contentType) ?? [];
  const boundary = quoted ?? plain ?? '';
  if (boundary === '' || boundary.length > longestBoundary) {
    throw brokenForm('its content type names no usable boundary; let the HTTP library write that header');
  }
  return boundary;
}

export interface PartHeader {
  readonly name: string;
  readonly hasFileName: boolean;
}

const parameter = /\s*;\s*([^=;\s]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/gy;
const plainEncodings = /^(?:7bit|8bit|binary)$/i;

/** @throws AppError malformed_request when it is no header of a form's field. */
export function readPartHeader(text: string): PartHeader {
  let disposition: string | undefined;
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    const value = line.slice(colon + 1).trim();
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (name === 'content-disposition') disposition = value;
    if (name === 'content-transfer-encoding' && !plainEncodings.test(value)) {
      throw brokenForm(`a part is sent as ${value.slice(0, 40)}; parts must be sent as they are`);
    }
  }
  if (disposition === undefined || !/^form-data\s*(?:;|$)/i.test(disposition)) {
    throw brokenForm('a part has no Content-Disposition of form-data');
  }
  const parameters = readParameters(disposition);
  const name = parameters.get('name');
  if (name === undefined || name === '') throw brokenForm('a part has no name');
  return { name, hasFileName: parameters.has('filename') || parameters.has('filename*') };
}

function readParameters(value: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  const rest = value.replace(/^[^;]*/, '');
  for (const [, name = '', quoted, plain = ''] of rest.matchAll(parameter)) {
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain.trim());
  }
  return parameters;
}

/** @param reason what is wrong with it, without a full stop. */
export function brokenForm(reason: string, cause?: unknown): AppError {
  return new AppError({
    code: 'malformed_request',
    public: `The multipart form cannot be read: ${reason}.`,
    ...(cause === undefined ? {} : { cause }),
  });
}
