/** The reader of each protocol's requests. */
import type { JsonObject } from '../../../src/protocols/json/fields.ts';
import type { RecordedProtocol } from '../../../src/protocols/testing/recordings.ts';
import type { Asked } from './asked.ts';
import { askedByCompletions } from './by-completions.ts';
import { askedByContents } from './by-contents.ts';
import { askedByMessages } from './by-messages.ts';
import { askedByResponses } from './by-responses.ts';

export const readAsked: Readonly<Record<RecordedProtocol, (json: JsonObject) => Asked>> = {
  anthropic: askedByMessages,
  'chat-completions': askedByCompletions,
  responses: askedByResponses,
  google: askedByContents,
};
