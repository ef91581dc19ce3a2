/** Chat completions as one side of a conversion. */
import { type Clock, systemClock } from '../../base/clock.ts';
import { declaredTools } from '../declared-tools.ts';
import type { ClientProtocol, PassingProtocol } from '../protocol.ts';
import type { InferenceRequest } from '../translator.ts';
import { unwrapAnswer, unwrapEvents } from '../turn/free-text/unwrap.ts';
import { readChatAnswer, writeChatAnswer } from './answer.ts';
import { type ChatDialect, compatibleDialect, openaiDialect } from './dialect.ts';
import { readChatComplaint } from './errors.ts';
import { wantsFunctionCall } from './legacy-functions.ts';
import { refusesChatTools } from './models.ts';
import { chatPassthrough, chatPassthroughIn, refusesTools } from './passthrough.ts';
import { argumentMembers } from './read-messages.ts';
import { customToolNames, hasFreeText, readChatTurn } from './read-request.ts';
import { ChatEventReader } from './read-stream.ts';
import { writeChatTurn } from './write-request.ts';
import { ChatEventWriter } from './write-stream.ts';

const name = 'chat-completions';

/** For upstreams: `dialect` says in what the host differs from OpenAI. */
export function chatUpstream(dialect: ChatDialect = openaiDialect): PassingProtocol {
  return {
    name,
    stopSequences: 'by model',
    argumentMembers,
    writeRequest: (turn, model) => writeChatTurn(turn, model, dialect),
    readAnswer: readChatAnswer,
    openReader: () => new ChatEventReader(),
    readComplaint: readChatComplaint,
    passthrough: dialect === openaiDialect ? chatPassthrough : chatPassthroughIn(dialect),
    // Routers and servers with a manner of their own find a way for their models.
    ...(dialect === openaiDialect || dialect === compatibleDialect ? { refuses } : {}),
    ...(dialect.customTools ? {} : { mustConvert: ({ json }) => hasFreeText(json) }),
  };
}

/** A foreign request's effort is not known before it is read: with tools it goes where it may have any. */
function refuses(request: InferenceRequest, upstreamId: string, isForeign: boolean): boolean {
  if (!isForeign) return refusesTools(request, upstreamId);
  return declaredTools(request.json).length > 0 && refusesChatTools(upstreamId, 'high');
}

export function chatClient(clock: Clock = systemClock): ClientProtocol {
  return {
    name,
    answerIdPrefix: 'chatcmpl-',
    readRequest: readChatTurn,
    writeAnswer: (answer, { json }) =>
      writeChatAnswer(unwrapAnswer(answer, customToolNames(json)), {
        clock,
        isLegacy: wantsFunctionCall(json),
      }),
    openWriter: ({ json, wantsStreamUsage }) =>
      unwrapEvents(
        new ChatEventWriter({ clock, wantsUsage: wantsStreamUsage, isLegacy: wantsFunctionCall(json) }),
        customToolNames(json),
      ),
  };
}
