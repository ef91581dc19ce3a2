/**
 * An upstream that lets an agent work: it asks for one command through whatever tool runs commands, and is content once
 * it hears of a result. It speaks each protocol with the project's own writers.
 */
import { noUsage } from '../../src/base/token-usage.ts';
import { chatClient } from '../../src/protocols/chat-completions/protocol.ts';
import { googleClient } from '../../src/protocols/google/protocol.ts';
import {
  asObject,
  asObjects,
  asText,
  asTexts,
  type JsonObject,
  tryParseJson,
} from '../../src/protocols/json/fields.ts';
import { messagesClient } from '../../src/protocols/messages/protocol.ts';
import type { ClientProtocol } from '../../src/protocols/protocol.ts';
import { responsesClient } from '../../src/protocols/responses/protocol.ts';
import type { TurnAnswer } from '../../src/protocols/turn/answer.ts';
import type { TurnRequest } from '../../src/protocols/turn/request.ts';
import { eventsOf } from '../../src/protocols/turn/testing/arbitrary-answer.ts';
import type { FunctionTool, Tool } from '../../src/protocols/turn/tools.ts';

export interface AgentUpstream {
  readonly url: string;
  /** What an agent is to run next, and what is said once it has. */
  task: { readonly command: string; readonly words: string };
  stop(): Promise<void>;
}

const protocols: readonly (readonly [RegExp, ClientProtocol])[] = [
  [/\/chat\/completions$/, chatClient()],
  [/\/messages$/, messagesClient],
  [/\/responses$/, responsesClient()],
  [/:(generateContent|streamGenerateContent)$/, googleClient],
];

export function startAgentUpstream(): AgentUpstream {
  const kept = new KeptItems();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(http) {
      const { pathname } = new URL(http.url);
      const protocol = protocols.find(([path]) => path.test(pathname))?.[1];
      const json = asObject(await http.json().catch(() => undefined));
      if (protocol === undefined || json === undefined) return new Response('', { status: 404 });
      const isStream = json['stream'] === true || pathname.endsWith(':streamGenerateContent');
      const turn = protocol.readRequest(kept.resolve(json));
      const answer = answerTo(turn, upstream.task);
      const text = write(protocol, answer, { json, isStream });
      if (pathname.endsWith('/responses')) kept.keepFrom(text);
      const type = isStream ? 'text/event-stream' : 'application/json';
      return new Response(text, { headers: { 'content-type': type } });
    },
  });
  const upstream: AgentUpstream = {
    url: `http://127.0.0.1:${server.port}`,
    task: { command: 'true', words: '' },
    stop: () => server.stop(true),
  };
  return upstream;
}

function write(
  protocol: ClientProtocol,
  answer: TurnAnswer,
  { json, isStream }: { json: JsonObject; isStream: boolean },
): string {
  const request = { text: '', json, model: 'agent-1', stream: isStream, wantsStreamUsage: true };
  if (!isStream) return protocol.writeAnswer(answer, request);
  const writer = protocol.openWriter(request);
  const events = eventsOf(answer, { maxPiece: 5, interleaved: false, counts: 'last' });
  return events.map((event) => writer.write(event)).join('');
}

/** The items of all its responses, since clients of that protocol may refer to them. */
class KeptItems {
  readonly #items = new Map<string, JsonObject>();

  resolve(json: JsonObject): JsonObject {
    const { input } = json;
    if (!Array.isArray(input)) return json;
    const known = (item: unknown) => {
      const reference = asObject(item);
      if (reference?.['type'] !== 'item_reference') return item;
      return this.#items.get(asText(reference['id']) ?? '') ?? item;
    };
    return { ...json, input: input.map(known) };
  }

  /** @param text of a whole response, or of a stream whose last frame has one. */
  keepFrom(text: string): void {
    const last = text.slice(text.lastIndexOf('\ndata: ') + 1).replace(/^data: /, '');
    const told = asObject(tryParseJson(last));
    const response = asObject(told?.['response']) ?? told;
    for (const item of asObjects(response?.['output'])) this.#items.set(asText(item['id']) ?? '', item);
  }
}

function answerTo(turn: TurnRequest, { command, words }: AgentUpstream['task']): TurnAnswer {
  const last = turn.messages.at(-1);
  const hasResult = last?.role === 'user' && last.content.some(({ type }) => type === 'tool_result');
  const tool = turn.tools.find(runsCommands);
  const usage = { ...noUsage, inputTokens: 40, outputTokens: 12, estimated: false };
  const rest = { id: `answer_${crypto.randomUUID()}`, model: 'agent-1', usage };
  if (hasResult || tool === undefined) {
    const content = [{ type: 'text', text: hasResult ? words : 'Nothing to do.' }] as const;
    return { ...rest, choices: [{ content, stop: { reason: 'end' } }] };
  }
  const content = [
    { type: 'text', text: 'I run it.' },
    {
      type: 'tool_use',
      id: `call_${crypto.randomUUID().slice(0, 8)}`,
      name: tool.name,
      input: JSON.stringify(argumentsFor(tool, command)),
    },
  ] as const;
  return { ...rest, choices: [{ content, stop: { reason: 'tool_use' } }] };
}

/** What agents call the argument that holds a command. */
const commandNames = ['command', 'cmd'];

const propertiesOf = ({ schema }: FunctionTool): JsonObject => asObject(schema['properties']) ?? {};

function runsCommands(tool: Tool): tool is FunctionTool {
  if (tool.kind !== 'function') return false;
  return commandNames.some((name) => asObject(propertiesOf(tool)[name]) !== undefined);
}

/** The command, and something plain for whatever else is required. */
function argumentsFor(tool: FunctionTool, command: string): JsonObject {
  const properties = propertiesOf(tool);
  const filled: Record<string, unknown> = {};
  for (const name of asTexts(tool.schema['required'])) filled[name] = plainValue(asObject(properties[name]));
  const name = commandNames.find((each) => properties[each] !== undefined) ?? 'command';
  const isList = asText(asObject(properties[name])?.['type']) === 'array';
  return { ...filled, [name]: isList ? ['bash', '-lc', command] : command };
}

function plainValue(schema: JsonObject | undefined): unknown {
  const [first] = Array.isArray(schema?.['enum']) ? schema['enum'] : [];
  if (first !== undefined) return first;
  switch (schema?.['type']) {
    case 'boolean':
      return false;
    case 'number':
    case 'integer':
      return 30_000;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'as asked';
  }
}
