/** The protocol of Google’s Gemini API, generateContent, as clients and as upstreams speak it. */
import type { ClientProtocol, PassingProtocol } from '../protocol.ts';
import { argumentMembers, readGoogleAnswer, writeGoogleAnswer } from './answer.ts';
import { readGoogleComplaint } from './errors.ts';
import { googlePassthrough } from './passthrough.ts';
import { hidesThoughts, readGoogleTurn } from './read-request.ts';
import { GoogleEventReader } from './read-stream.ts';
import { mostStopSequences, writeGoogleTurn } from './write-request.ts';
import { GoogleEventWriter } from './write-stream.ts';

const name = 'google';

export const googleUpstream: PassingProtocol = {
  name,
  argumentMembers,
  stopSequences: mostStopSequences,
  toolNames: /^[A-Za-z_][\w.:-]*$/,
  writeRequest: writeGoogleTurn,
  readAnswer: readGoogleAnswer,
  openReader: () => new GoogleEventReader(),
  readComplaint: readGoogleComplaint,
  passthrough: googlePassthrough,
};

export const googleClient: ClientProtocol = {
  name,
  readRequest: readGoogleTurn,
  writeAnswer: (answer, { json }) => writeGoogleAnswer(answer, { hidesThoughts: hidesThoughts(json) }),
  openWriter: ({ json }) => new GoogleEventWriter({ hidesThoughts: hidesThoughts(json) }),
};
