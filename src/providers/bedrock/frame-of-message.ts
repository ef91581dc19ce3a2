/** One message of the binary stream as the server-sent event that the Converse protocol reads. */
import { converseFrame } from '../../protocols/converse/frame.ts';
import { asObject, tryParseJson } from '../../protocols/json/fields.ts';
import type { EventMessage } from './event-message.ts';

export function frameOfMessage({ headers, payload }: EventMessage): string {
  switch (headers.get(':message-type')) {
    case 'exception':
      return exceptionFrame({ ...asObject(tryParseJson(payload)), type: headers.get(':exception-type') });
    case 'error':
      return exceptionFrame({ type: headers.get(':error-code'), message: headers.get(':error-message') });
    default:
      return converseFrame(headers.get(':event-type') ?? '', payload);
  }
}

/** @param exception its type, its message and what else the vendor tells of it. */
export function exceptionFrame(exception: object): string {
  return converseFrame('exception', JSON.stringify(exception));
}
