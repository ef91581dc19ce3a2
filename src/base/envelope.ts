/** Secrets at rest: AES-256-GCM under a key derived from the service secret, as `v1.<base64url of nonce and box>`. */

const version = 'v1';
const nonceBytes = 12;

export interface Envelope {
  seal(plain: string): Promise<string>;
  /** @throws Error when the text was not sealed under this secret or was altered. */
  open(sealed: string): Promise<string>;
}

/** @param secret the service secret (SLUICE_SECRET); changing it makes every sealed value unreadable. */
export async function openEnvelope(secret: string): Promise<Envelope> {
  const material = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), 'HKDF', false, [
    'deriveKey',
  ]);
  const key = await crypto.subtle.deriveKey(
    {
      name: 'HKDF',
      hash: 'SHA-256',
      salt: new Uint8Array(),
      info: new TextEncoder().encode('sluice envelope'),
    },
    material,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  );
  return {
    async seal(plain) {
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
      const box = await crypto.subtle.encrypt(
        { name: 'AES-GCM', iv: nonce },
        key,
        new TextEncoder().encode(plain),
      );
      return `${version}.${Buffer.concat([nonce, new Uint8Array(box)]).toString('base64url')}`;
    },
    async open(sealed) {
      const [foundVersion, payload] = sealed.split('.');
      if (foundVersion !== version || payload === undefined) throw new Error('not a sealed value');
      const bytes = Buffer.from(payload, 'base64url');
      const box = bytes.subarray(nonceBytes);
      const plain = await crypto.subtle.decrypt(
        { name: 'AES-GCM', iv: bytes.subarray(0, nonceBytes) },
        key,
        box,
      );
      return new TextDecoder().decode(plain);
    },
  };
}
