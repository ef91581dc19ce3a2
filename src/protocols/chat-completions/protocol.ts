/** Chat completions as one side of a conversion. */
import { type Clock, systemClock } from '../../base/clock.ts';
import type { ClientProtocol, UpstreamProtocol } from '../protocol.ts';
import { convert } from '../translate/convert.ts';
import { unwrapAnswer } from '../turn/free-text/unwrap-answer.ts';
import { unwrapEvents } from '../turn/free-text/unwrapping-writer.ts';
import { readChatComplaint } from './complaint.ts';
import { type ChatDialect, openaiDialect } from './dialect.ts';
import { customToolNames } from './free-text.ts';
import { chatPassthrough, chatPassthroughIn } from './passthrough.ts';
import { withFreeText } from './passthrough-free-text.ts';
import { readChatAnswer } from './read-answer.ts';
import { ChatEventReader } from './read-stream.ts';
import { readChatTurn } from './read-turn.ts';
import { writeChatAnswer } from './write-answer.ts';
import { ChatEventWriter } from './write-stream.ts';
import { writeChatTurn } from './write-turn.ts';

const name = 'chat-completions';

/** For upstreams: `dialect` says in what the host differs from OpenAI. */
export function chatUpstream(dialect: ChatDialect = openaiDialect): UpstreamProtocol {
  const passing = dialect === openaiDialect ? chatPassthrough : chatPassthroughIn(dialect);
  const upstream: UpstreamProtocol = {
    name,
    writeRequest: (turn, model) => writeChatTurn(turn, model, dialect),
    readAnswer: readChatAnswer,
    openReader: () => new ChatEventReader(),
    readComplaint: readChatComplaint,
    passthrough: passing,
  };
  if (dialect.customTools) return upstream;
  const converting = convert({ client: chatClient(), upstream });
  return { ...upstream, passthrough: withFreeText({ passing, converting }) };
}

export function chatClient(clock: Clock = systemClock): ClientProtocol {
  return {
    name,
    readRequest: readChatTurn,
    writeAnswer: (answer, { json }) => writeChatAnswer(unwrapAnswer(answer, customToolNames(json)), clock),
    openWriter: ({ json, wantsStreamUsage }) =>
      unwrapEvents(new ChatEventWriter({ clock, wantsUsage: wantsStreamUsage }), customToolNames(json)),
  };
}
