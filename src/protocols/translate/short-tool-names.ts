/** Names of tools that are longer than most upstreams take: cut for the upstream, and whole again for the client. */
import { createHash } from 'node:crypto';
import { idleComment } from '../../base/sse.ts';
import type { ClientProtocol } from '../protocol.ts';
import type { InferenceRequest } from '../translator.ts';
import type { TurnAnswer } from '../turn/answer.ts';
import type { EventWriter, TurnEvent } from '../turn/events.ts';
import type { Message, TurnRequest } from '../turn/request.ts';
import type { Tool, ToolChoice } from '../turn/tools.ts';

const mostCharacters = 64;
const hashCharacters = 8;
const keptCharacters = mostCharacters - hashCharacters - 1;
/** What a cut name looks like; others need not be looked for. */
const cutName = new RegExp(`^.{${keptCharacters}}_[0-9a-f]{${hashCharacters}}$`, 's');

type Rename = (name: string) => string;

/** The same client, whose long names of tools the upstream never sees. */
export function withShortToolNames(client: ClientProtocol): ClientProtocol {
  return {
    ...client,
    readRequest: (json, text) => renameInTurn(client.readRequest(json, text)),
    writeAnswer: (answer, request) =>
      client.writeAnswer(renameInAnswer(answer, wholeNames(client, request)), request),
    openWriter: (request) => new RenamingWriter(client.openWriter(request), wholeNames(client, request)),
  };
}

const shorten: Rename = (name) => {
  if (name.length <= mostCharacters) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashCharacters);
  return `${name.slice(0, keptCharacters)}_${hash}`;
};

/** The request is read again only when an answer names what looks cut. */
function wholeNames(client: ClientProtocol, { json }: InferenceRequest): Rename {
  let known: ReadonlyMap<string, string> | null = null;
  return (name) => {
    if (!cutName.test(name)) return name;
    known ??= new Map(namesOf(client.readRequest(json).tools).map((whole) => [shorten(whole), whole]));
    return known.get(name) ?? name;
  };
}

const namesOf = (tools: readonly Tool[]): readonly string[] =>
  tools.flatMap((tool) => (tool.kind === 'vendor' ? [] : [tool.name]));

function renameInTurn(turn: TurnRequest): TurnRequest {
  return {
    ...turn,
    tools: turn.tools.map((tool) => (tool.kind === 'vendor' ? tool : { ...tool, name: shorten(tool.name) })),
    toolChoice: turn.toolChoice && renameInChoice(turn.toolChoice),
    messages: turn.messages.map(renameInMessage),
  };
}

function renameInChoice(choice: ToolChoice): ToolChoice {
  if (choice.type === 'tool') return { ...choice, name: shorten(choice.name) };
  return choice.type === 'allowed' ? { ...choice, names: choice.names.map(shorten) } : choice;
}

function renameInMessage(message: Message): Message {
  return message.role === 'assistant'
    ? { ...message, content: message.content.map((block) => renameIn(block, shorten)) }
    : message;
}

function renameInAnswer(answer: TurnAnswer, rename: Rename): TurnAnswer {
  return {
    ...answer,
    choices: answer.choices.map((choice) => ({
      ...choice,
      content: choice.content.map((block) => renameIn(block, rename)),
    })),
  };
}

type Content = TurnAnswer['choices'][number]['content'][number];

const renameIn = (block: Content, rename: Rename): Content =>
  block.type === 'tool_use' ? { ...block, name: rename(block.name) } : block;

class RenamingWriter implements EventWriter {
  readonly #writer: EventWriter;
  readonly #rename: Rename;

  constructor(writer: EventWriter, rename: Rename) {
    this.#writer = writer;
    this.#rename = rename;
  }

  write(event: TurnEvent): string {
    if (event.type !== 'open' || event.head.kind !== 'tool_use') return this.#writer.write(event);
    return this.#writer.write({ ...event, head: { ...event.head, name: this.#rename(event.head.name) } });
  }

  idle(): string {
    return this.#writer.idle?.() ?? idleComment;
  }
}
