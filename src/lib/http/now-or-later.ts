/** What is there already is used at once: a turn of the event loop per request is what fast answers cannot afford. */
export type NowOrLater<Value> = Value | Promise<Value>

export const andThen = <Value, Next>(
  value: NowOrLater<Value>,
  follow: (value: Value) => NowOrLater<Next>,
): NowOrLater<Next> => (value instanceof Promise ? value.then(follow) : follow(value))
