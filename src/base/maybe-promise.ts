/** A value now or later: a warm cache answers without a turn of the event loop. */
export type MaybePromise<Value> = Value | Promise<Value>;
