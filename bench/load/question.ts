/** What contenders are asked: one question in a protocol, its answer in figures, and who is asked. */

export type AnswerForm = 'whole' | 'streamed';
export const answerForms: readonly AnswerForm[] = ['whole', 'streamed'];

export type ProtocolName = 'chat' | 'messages';
export const protocolNames: readonly ProtocolName[] = ['chat', 'messages'];

/** By the protocol of the upstream that answers for it. */
export const benchModels: Readonly<Record<ProtocolName, string>> = {
  chat: 'bench-chat-model',
  messages: 'bench-messages-model',
};

/** With the opening and the closing chunk a streamed chat completion has 100. */
export const answerTokens = 98;
export const promptTokens = 24;

export const systemText = 'You are a terse assistant.';
export const userText = 'Which rivers run through the old town, and where do they meet?';
export const temperature = 0.2;

export interface Question {
  readonly path: string;
  /** Those of the protocol. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodies: Readonly<Record<AnswerForm, string>>;
  /** Whether the text is what the upstream answers: whole, and to its end. */
  isAnsweredBy(text: string, form: AnswerForm): boolean;
}

/** Who is asked. */
export interface Target {
  /** Without a path. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A question as it goes over the wire. */
export interface AddressedQuestion {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function addressQuestion(
  { path, headers, bodies }: Question,
  form: AnswerForm,
  target: Target,
): AddressedQuestion {
  return {
    url: target.origin + path,
    headers: { ...target.headers, ...headers },
    body: bodies[form],
  };
}
