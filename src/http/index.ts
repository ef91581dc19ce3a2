/** The http room: a client for HTTP/1.1. */
export { AnswerError, UnsentError } from './errors.ts';
export { HttpClient } from './http-client.ts';
