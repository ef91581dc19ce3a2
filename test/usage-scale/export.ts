/** The request log as CSV over HTTP from a started program, with the memory that it holds meanwhile. */
import { startScaleProgram } from './program.ts';

export interface Exported {
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Of the program, a sample for each tenth of what was to be read. */
  readonly residentBytes: readonly number[];
  readonly restBytes: number;
  readonly mostBytes: number;
}

const lineFeed = 0x0a;

/** Read as fast as it comes, by whoever owns the platform; the reader goes once it has so many rows. */
export async function timeExport(databaseUrl: string, wantedRows: number): Promise<Exported> {
  const { program, visitors, discard } = await startScaleProgram(databaseUrl);
  try {
    const [visitor] = visitors;
    const ask = (signal?: AbortSignal) =>
      fetch(`${program.url}/dashboard/request-log/export?range=all`, {
        headers: { cookie: visitor?.cookie ?? '' },
        ...(signal === undefined ? {} : { signal }),
      });
    // What the first one loads is not what a long one holds.
    const left = new AbortController();
    await (await ask(left.signal)).body?.getReader().read();
    left.abort();
    const restBytes = program.readCost().residentBytes;
    const startedMs = performance.now();
    const answer = await ask();
    if (answer.status !== 200 || answer.body === null)
      throw new Error(`The export was answered with ${answer.status}.`);
    let [rows, bytes, mostBytes] = [-1, 0, 0];
    const residentBytes: number[] = [];
    for await (const piece of answer.body) {
      bytes += piece.byteLength;
      for (const byte of piece) if (byte === lineFeed) rows += 1;
      const held = program.readCost().residentBytes;
      mostBytes = Math.max(mostBytes, held);
      if (rows >= ((residentBytes.length + 1) * wantedRows) / 10) residentBytes.push(held);
      if (rows >= wantedRows) break;
    }
    const seconds = (performance.now() - startedMs) / 1000;
    return { rows, bytes, seconds, residentBytes, restBytes, mostBytes };
  } finally {
    await discard();
  }
}
