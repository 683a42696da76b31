import { afterAll, beforeAll } from 'bun:test'

/** What the tests of a file or of a `describe` share: opened before the first of them, closed after the last. */
export function shared<Value extends AsyncDisposable>(open: () => Promise<Value>): () => Value {
  let value: Value
  beforeAll(async () => {
    value = await open()
  })
  afterAll(() => value[Symbol.asyncDispose]())
  return () => value
}
