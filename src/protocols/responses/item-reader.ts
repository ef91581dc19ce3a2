/** What the readers of streamed output items have in common. */
import type { TurnEvent } from '../turn/events.ts';
import type { JsonObject } from '../turn/tools.ts';

export interface ItemReader {
  /** An event within the item. */
  read(event: JsonObject, events: TurnEvent[]): void;
  /** @param item as it ended; what of it was not streamed is told now. Undefined when nobody said how it ended. */
  end(item: JsonObject | undefined, events: TurnEvent[]): void;
}
