/** How many pages a PDF has, as far as can be seen without unpacking it. */

/** At the front of a file that was written for the web: the number of its pages. */
const linearized = /\/Linearized\b[^>]{0,200}?\/N\s+(\d{1,7})/;
const linearizedWithin = 2048;

const page = /\/Type\s*\/Page\b/g;

/** Pages that are packed away are not seen; few take less than this. */
const bytesPerPackedPage = 10_000;

/** More than any vendor reads of one request. */
const mostPages = 1000;

export function countPdfPages(file: Buffer): number {
  const text = file.toString('latin1');
  const told = Number(linearized.exec(text.slice(0, linearizedWithin))?.[1] ?? 0);
  const seen = text.match(page)?.length ?? 0;
  const known = Math.max(told, seen);
  return Math.min(mostPages, known > 0 ? known : Math.ceil(file.length / bytesPerPackedPage));
}
