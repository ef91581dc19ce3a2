/**
 * The frames that a Converse stream is carried in. On the wire the API frames its events in a binary form, with the
 * event's name in a header; here each is one server-sent event whose data is an object with that name for its only
 * member: `{"contentBlockDelta": {…}}`. Two names are our own: `answerStart`, with the id and the model that the
 * API tells outside its answer, and `exception`, with the type and the message of what ended the stream.
 */

/** @param payload JSON, on one line or several. */
export function converseFrame(name: string, payload: string): string {
  return `data: {${JSON.stringify(name)}:${payload.replaceAll(/[\r\n]+/g, ' ')}}\n\n`;
}

/** Members of a whole answer, or the payload of `answerStart`. */
export interface AnswerNames {
  readonly id: string;
  readonly model: string;
}
