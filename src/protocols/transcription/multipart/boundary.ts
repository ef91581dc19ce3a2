/** The mark between the parts of a form, from the content type. */
import { AppError } from '../../../base/errors.ts';
import { brokenForm } from './broken-form.ts';

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
