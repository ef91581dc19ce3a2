/** Reads a multipart form out of a body's bytes. */

export interface FormPart {
  readonly name: string;
  /** Undefined for plain fields. */
  readonly fileName: string | undefined;
  readonly bytes: Buffer;
}

const headEnd = '\r\n\r\n';

/** Undefined when the body is not the form that its content type promises. */
export function readForm(contentType: string, bytes: Uint8Array): FormPart[] | undefined {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  if (boundary === undefined) return undefined;
  const body = Buffer.concat([Buffer.from('\r\n'), bytes]);
  const mark = Buffer.from(`\r\n--${boundary}`);
  const parts: FormPart[] = [];
  let start = body.indexOf(mark);
  while (start >= 0) {
    const from = start + mark.length;
    if (body.toString('latin1', from, from + 2) === '--') return parts;
    const next = body.indexOf(mark, from);
    const part = next < 0 ? undefined : readPart(body.subarray(from, next));
    if (part === undefined) return undefined;
    parts.push(part);
    start = next;
  }
  return undefined;
}

function readPart(bytes: Buffer): FormPart | undefined {
  const end = bytes.indexOf(headEnd);
  const head = bytes.toString('utf8', 0, Math.max(0, end));
  const name = /content-disposition:.*[; ]name="([^"]*)"/i.exec(head)?.[1];
  if (name === undefined) return undefined;
  const fileName = /filename="([^"]*)"/i.exec(head)?.[1];
  return { name, fileName, bytes: bytes.subarray(end + headEnd.length) };
}
