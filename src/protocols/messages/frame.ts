/** Frames of a messages stream: the event line repeats the type. */

export function frame(type: string, data: string): string {
  return `event: ${type}\ndata: ${data}\n\n`;
}

/** A sign of life, which may stand anywhere. */
export const ping = frame('ping', '{"type":"ping"}');
