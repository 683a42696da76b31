/** What is there already is used at once: a turn of the event loop per request is what fast answers cannot afford. */
export type NowOrLater<Value> = Value | Promise<Value>

/**
 * A handler or a hook of which Elysia does not see the source text. It awaits whatever the text could give, if only a call, and that
 * is a seventh of the throughput of an answer from memory; a promise that is there is passed on all the same. What Elysia provides
 * only as the text asks for it is not there, and routes with a schema are awaited for that.
 */
export const atOnce = <Answer>(
  handler: (context: { readonly request: Request; readonly params: unknown }) => Answer,
): typeof handler => handler.bind(undefined)

export const andThen = <Value, Next>(
  value: NowOrLater<Value>,
  follow: (value: Value) => NowOrLater<Next>,
): NowOrLater<Next> => (value instanceof Promise ? value.then(follow) : follow(value))
