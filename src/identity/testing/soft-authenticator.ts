/** A passkey's authenticator in software: what a browser and its device answer to WebAuthn's questions. */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

const userPresent = 0x01;
const userVerified = 0x04;
const withCredential = 0x40;

export interface SoftAuthenticator {
  /** What a browser made of `create`, in its JSON form. */
  create(question: Question): ReturnType<typeof registration>;
  /** What a browser made of `get`, in its JSON form. */
  get(question: Question): ReturnType<typeof assertion>;
}

interface Question {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
  /** False for a device that did not ask its owner; true when not given. */
  readonly isVerified?: boolean;
}

export function softAuthenticator(): SoftAuthenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  let counter = 0;
  return {
    create: (question) => registration(question, id, publicKey),
    get(question) {
      counter += 1;
      return assertion(question, { id, privateKey, counter });
    },
  };
}

function registration(question: Question, id: Buffer, publicKey: KeyObject) {
  const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey(publicKey)]);
  const data = authenticatorData(question, withCredential, 0, credential);
  // CBOR of {fmt: "none", attStmt: {}, authData}.
  const attestationObject = Buffer.concat([
    Buffer.from([0xa3, 0x63]),
    Buffer.from('fmt'),
    Buffer.from([0x64]),
    Buffer.from('none'),
    Buffer.from([0x67]),
    Buffer.from('attStmt'),
    Buffer.from([0xa0, 0x68]),
    Buffer.from('authData'),
    Buffer.from([0x59, data.length >> 8, data.length & 0xff]),
    data,
  ]);
  return {
    ...named(id),
    response: {
      clientDataJSON: clientData('webauthn.create', question),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal', 'one-of-the-future'],
    },
  };
}

function assertion(
  question: Question,
  {
    id,
    privateKey,
    counter,
  }: { readonly id: Buffer; readonly privateKey: KeyObject; readonly counter: number },
) {
  const data = authenticatorData(question, 0, counter, Buffer.alloc(0));
  const clientDataJSON = clientData('webauthn.get', question);
  const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
  const signature = createSign('SHA256')
    .update(Buffer.concat([data, hash]))
    .sign(privateKey);
  return {
    ...named(id),
    response: {
      clientDataJSON,
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: null,
    },
  };
}

function named(id: Buffer) {
  const text = id.toString('base64url');
  return { id: text, rawId: text, type: 'public-key' } as const;
}

function clientData(type: string, { challenge, origin }: Question): string {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url');
}

function authenticatorData(
  { rpId, isVerified = true }: Question,
  flags: number,
  counter: number,
  rest: Buffer,
): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags | userPresent | (isVerified ? userVerified : 0), 0);
  head.writeUInt32BE(counter, 1);
  return Buffer.concat([createHash('sha256').update(rpId).digest(), head, rest]);
}

/** CBOR of an ES256 key on P-256 (RFC 9053, section 7.1). */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
    Buffer.from(x, 'base64url'),
    Buffer.from([0x22, 0x58, 0x20]),
    Buffer.from(y, 'base64url'),
  ]);
}
