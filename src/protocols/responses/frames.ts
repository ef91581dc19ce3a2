/** Frames of a Responses stream, numbered in their order. */

export class ResponseFrames {
  #next = 0;

  /** @param members the text of the event's own members, without braces. */
  write(type: string, members: string): string {
    const frame = `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#next},${members}}\n\n`;
    this.#next += 1;
    return frame;
  }
}
