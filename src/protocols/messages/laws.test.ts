import {
  blockStart,
  blockStop,
  messageDelta,
  messageStart,
  messageStop,
  messagesFrames,
} from '../testing/frames.ts';
import { answerLaws } from '../turn/testing/answer-laws.ts';
import { requestLaws } from '../turn/testing/request-laws.ts';
import { after, before, marker, type UnreadAnswer, unreadLaws } from '../turn/testing/unread-laws.ts';
import { messagesClient, messagesUpstream } from './protocol.ts';
import { readMessagesRequest } from './request.ts';
import { messagesLosses } from './testing/losses.ts';

requestLaws({
  client: messagesClient,
  upstream: messagesUpstream,
  // The one version that takes both adaptive thinking and sampling parameters.
  model: { id: 'claude-opus-4-6' },
  losses: messagesLosses,
  check: readMessagesRequest,
});

answerLaws({ client: messagesClient, upstream: messagesUpstream, losses: messagesLosses });

const text = (said: string) => ({ type: 'text', text: said });

const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: marker } };
const found = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [{ type: 'web_search_result', title: marker, url: 'https://x.test', encrypted_content: 'e' }],
};
const upload = { type: 'container_upload', file_id: marker };
const citation = {
  type: 'web_search_result_location',
  url: `https://${marker}.test`,
  title: 'T',
  cited_text: 'c',
  encrypted_index: 'e',
};

function answer(what: UnreadAnswer['what'], ...blocks: readonly object[]): UnreadAnswer {
  const content = [text(before), ...blocks, text(after)];
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x' };
  const frames = content.flatMap((block, index) => [blockStart(index, block), blockStop(index)]);
  return {
    what,
    whole: { ...head, content, stop_reason: 'end_turn' },
    stream: messagesFrames(messageStart(), ...frames, messageDelta('end_turn', {}), messageStop),
  };
}

unreadLaws({
  client: messagesClient,
  upstream: messagesUpstream,
  losses: messagesLosses,
  answers: [answer('traces of vendor tools', search, found), answer('files for vendor tools', upload)],
  requests: [
    {
      what: 'traces of vendor tools',
      json: { messages: [{ role: 'assistant', content: [text(before), search, found, text(after)] }] },
    },
    {
      what: 'citations',
      json: {
        messages: [{ role: 'assistant', content: [{ ...text(before), citations: [citation] }, text(after)] }],
      },
    },
    {
      what: 'files for vendor tools',
      json: { messages: [{ role: 'user', content: [text(before), upload, text(after)] }] },
    },
  ],
});
