/** Streams that are written here from their beginning, so that another upstream, of whatever protocol, can go on with them. */
import type { TokenUsage } from '../../../base/token-usage.ts';
import type { InferenceRequest, StreamTranslator } from '../../translator.ts';
import type { RescueNote } from '../../turn/events.ts';
import { ConvertedStream } from '../converted-stream.ts';
import { withFittingToolNames, withOwnToolNames } from '../tool-names.ts';
import { idFor, openReader, type ProtocolPair } from '../translate.ts';
import { ContinuingReader } from './continuing-reader.ts';
import { ShownWriter, type TakeRoom } from './shown-writer.ts';

export interface RescuableStream {
  readonly translator: StreamTranslator;
  readonly shown: ShownWriter;
}

/** Also where client and upstream speak the same protocol, whose bytes would pass through otherwise. */
export function openRescuable(
  pair: ProtocolPair,
  request: InferenceRequest,
  takeRoom: TakeRoom,
): RescuableStream {
  const { client, upstream } = pair;
  const naming = client.name === upstream.name ? client : withFittingToolNames(client, upstream);
  const shown = new ShownWriter(naming.openWriter(request), takeRoom);
  const translator = new ConvertedStream({
    reader: openReader(pair, request),
    writer: shown,
    writeId: (id) => idFor(client, id),
  });
  return { translator, shown };
}

export interface ContinuedTerms {
  readonly pair: ProtocolPair;
  /** What the upstream is asked. */
  readonly request: InferenceRequest;
  readonly shown: ShownWriter;
  readonly note: RescueNote;
  /** Of the answer that broke off. */
  readonly usageBefore: TokenUsage;
}

/** The rest of such a stream, as the next upstream tells it. */
export function openContinued({ pair, request, shown, note, usageBefore }: ContinuedTerms): StreamTranslator {
  const writer = shown.continued(note, usageBefore);
  return new ConvertedStream({
    reader: new ContinuingReader(openReader(pair, request), { shown: shown.text, by: note.how }),
    writer: withOwnToolNames(writer, { ...pair, request }),
    writeId: (id) => id,
  });
}
