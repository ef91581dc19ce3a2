/** What stands in front of a part of a form: its name, and whether it is a file. */
import { brokenForm } from './broken-form.ts';

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
