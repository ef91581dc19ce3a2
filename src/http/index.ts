/** The http room: a client for HTTP/1.1. */
export { HttpClient } from './http-client.ts';
