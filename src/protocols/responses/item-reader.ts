/** What the readers of streamed output items have in common. */

import type { JsonObject } from '../json/fields.ts';
import type { TurnEvent } from '../turn/events.ts';

export interface ItemReader {
  /** An event within the item. */
  read(event: JsonObject, events: TurnEvent[]): void;
  /** @param item as it ended; what of it was not streamed is told now. Undefined when nobody said how it ended. */
  end(item: JsonObject | undefined, events: TurnEvent[]): void;
}
