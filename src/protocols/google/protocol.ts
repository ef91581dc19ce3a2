/** generateContent as one side of a conversion. */
import type { ClientProtocol, UpstreamProtocol } from '../protocol.ts';
import { readGoogleComplaint } from './complaint.ts';
import { googlePassthrough } from './passthrough.ts';
import { readGoogleAnswer } from './read-answer.ts';
import { GoogleEventReader } from './read-stream.ts';
import { readGoogleTurn } from './read-turn.ts';
import { writeGoogleAnswer } from './write-answer.ts';
import { GoogleEventWriter } from './write-stream.ts';
import { writeGoogleTurn } from './write-turn.ts';

const name = 'google';

export const googleUpstream: UpstreamProtocol = {
  name,
  writeRequest: writeGoogleTurn,
  readAnswer: readGoogleAnswer,
  openReader: () => new GoogleEventReader(),
  readComplaint: readGoogleComplaint,
  passthrough: googlePassthrough,
};

export const googleClient: ClientProtocol = {
  name,
  readRequest: readGoogleTurn,
  writeAnswer: writeGoogleAnswer,
  openWriter: () => new GoogleEventWriter(),
};
