/** The ids of answers in the form that clients of a protocol know, whichever upstream gave them. */

/** What upstreams write in front, which would say the wrong thing behind another. */
const knownPrefix = /^(?:chatcmpl|cmpl|msg|resp|gen)[-_]/;
/** Official clients and their databases expect short ids. */
const maxLength = 48;

/**
 * The same upstream's id gives the same id each time, whole and streamed; an upstream that gives none has one made up.
 * @param prefix as the client's protocol writes it, such as `msg_`.
 */
export function ownAnswerId(upstreamId: string, prefix: string): string {
  if (upstreamId.startsWith(prefix)) return upstreamId;
  const told = upstreamId
    .slice(0, 256)
    .replace(knownPrefix, '')
    .replaceAll(/[^\w-]/g, '_')
    .slice(-maxLength);
  return prefix + (told === '' ? crypto.randomUUID().replaceAll('-', '') : told);
}
