/** Encrypted reasoning: opaque to clients, and checked when it comes back. */

const prefix = 'gAAAAdouble';

/** Belongs to one item, by its id. */
export function encryptedContentOf(itemId: string): string {
  return prefix + Buffer.from(`${itemId}|${sealOf(itemId)}`).toString('base64url');
}

/** The id of the item it was made for; undefined when it is not ours or was changed. */
export function openEncryptedContent(content: string): string | undefined {
  if (!content.startsWith(prefix)) return undefined;
  const encoded = content.slice(prefix.length);
  const [itemId = '', seal] = Buffer.from(encoded, 'base64url').toString().split('|');
  return seal === sealOf(itemId) && encryptedContentOf(itemId) === content ? itemId : undefined;
}

function sealOf(itemId: string): string {
  return Bun.hash(`reasoning of ${itemId}`).toString(36);
}
