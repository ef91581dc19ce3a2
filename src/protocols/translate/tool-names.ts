/** Names of tools that the upstream would refuse: others for the upstream, and their own again for the client. */
import { createHash } from 'node:crypto';
import { idleComment } from '../../base/sse.ts';
import type { ClientProtocol, UpstreamProtocol } from '../protocol.ts';
import type { InferenceRequest } from '../translator.ts';
import type { TurnAnswer } from '../turn/answer.ts';
import type { EventWriter, RescueNote, StreamPosition, TurnEvent } from '../turn/events.ts';
import type { Message, TurnRequest } from '../turn/request.ts';
import type { Tool, ToolChoice } from '../turn/tools.ts';

const mostCharacters = 64;
const hashCharacters = 8;
const keptCharacters = mostCharacters - hashCharacters - 1;
/** What a changed name looks like; others need not be looked for. */
const changedName = new RegExp(`_[0-9a-f]{${hashCharacters}}$`);

/** What all upstreams take in a name. */
const usualNames = /^[\w-]+$/;

type Rename = (name: string) => string;

type NameRules = Pick<UpstreamProtocol, 'longToolNames' | 'toolNames'>;

const fittingFor =
  ({ longToolNames, toolNames = usualNames }: NameRules): Rename =>
  (name) => {
    const isShort = longToolNames === true || name.length <= mostCharacters;
    return isShort && toolNames.test(name) ? name : changed(name);
  };

/** The same client, whose names of tools the upstream is spared where it would refuse them. */
export function withFittingToolNames(client: ClientProtocol, upstream: NameRules): ClientProtocol {
  const fit = fittingFor(upstream);
  return {
    ...client,
    readRequest: (json, text) => renameInTurn(client.readRequest(json, text), fit),
    writeAnswer: (answer, request) =>
      client.writeAnswer(renameInAnswer(answer, wholeNames(client, request, fit)), request),
    openWriter: (request) => new RenamingWriter(client.openWriter(request), wholeNames(client, request, fit)),
  };
}

/** A stream of an upstream whose tools have other names than the client's: they are the client's own again. */
export function withOwnToolNames(
  writer: EventWriter,
  {
    client,
    upstream,
    request,
  }: { client: ClientProtocol; upstream: UpstreamProtocol; request: InferenceRequest },
): EventWriter {
  if (client.name === upstream.name) return writer;
  return new RenamingWriter(writer, wholeNames(client, request, fittingFor(upstream)));
}

/** Of letters that every upstream takes, and no other name's. */
function changed(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashCharacters);
  const plain = name.replaceAll(/[^\w-]/g, '_');
  const begun = /^[a-z_]/i.test(plain) ? plain : `_${plain}`;
  return `${begun.slice(0, keptCharacters)}_${hash}`;
}

/** The request is read again only when an answer names what looks changed. */
function wholeNames(client: ClientProtocol, { json }: InferenceRequest, fit: Rename): Rename {
  let known: ReadonlyMap<string, string> | null = null;
  return (name) => {
    if (!changedName.test(name)) return name;
    known ??= new Map(namesOf(client.readRequest(json).tools).map((whole) => [fit(whole), whole]));
    return known.get(name) ?? name;
  };
}

const namesOf = (tools: readonly Tool[]): readonly string[] =>
  tools.flatMap((tool) => (tool.kind === 'vendor' ? [] : [tool.name]));

function renameInTurn(turn: TurnRequest, fit: Rename): TurnRequest {
  return {
    ...turn,
    tools: turn.tools.map((tool) => (tool.kind === 'vendor' ? tool : { ...tool, name: fit(tool.name) })),
    toolChoice: turn.toolChoice && renameInChoice(turn.toolChoice, fit),
    messages: turn.messages.map((message) => renameInMessage(message, fit)),
  };
}

function renameInChoice(choice: ToolChoice, fit: Rename): ToolChoice {
  if (choice.type === 'tool') return { ...choice, name: fit(choice.name) };
  return choice.type === 'allowed' ? { ...choice, names: choice.names.map(fit) } : choice;
}

function renameInMessage(message: Message, fit: Rename): Message {
  return message.role === 'assistant'
    ? { ...message, content: message.content.map((block) => renameIn(block, fit)) }
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

  note(note: RescueNote): string {
    return this.#writer.note?.(note) ?? '';
  }

  position(): StreamPosition | undefined {
    return this.#writer.position?.();
  }
}
