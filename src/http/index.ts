/** The http room: a client for HTTP/1.1. */
export { AnswerError } from './answer-head.ts';
export { HttpClient } from './http-client.ts';
