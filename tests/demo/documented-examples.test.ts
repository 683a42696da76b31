import { afterAll, expect, test } from 'bun:test'
import { document } from '#tests/support/openapi.ts'
import { openDemo } from './open-demo.ts'

const demo = await openDemo()
afterAll(() => demo[Symbol.asyncDispose]())

/** What "Try it out" sends: the example of the body, and those of the path. */
async function tried(operationId: string, user: string): Promise<Response> {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { parameters = [], requestBody, ...operation }] of Object.entries(
      methods,
    )) {
      if (operation.operationId !== operationId) continue
      const filled = path.replaceAll(
        /\{(\w+)\}/g,
        (_, name) => parameters.find((each) => each.name === name)?.schema.examples?.[0] ?? '',
      )
      const { cookie } = await demo.signIn(user)
      const example = requestBody?.content['application/json']?.example
      return fetch(`${demo.url}${filled}`, {
        method: method.toUpperCase(),
        headers: { cookie, 'content-type': 'application/json' },
        ...(example !== undefined && { body: JSON.stringify(example) }),
      })
    }
  }
  throw new Error(`no operation ${operationId}`)
}

test.each([
  ['getEntity', 'dev', 200],
  ['validateEntities', 'dev', 200],
  ['promote', 'manager', 201],
  ['scaffold', 'dev', 200],
  ['restartDeployment', 'dev', 202],
  ['downloadCli', 'dev', 200],
])('the example of %s works in the demo, for %s', async (operationId, user, status) => {
  const response = await tried(operationId, user)
  expect([response.status, await response.text()]).toStrictEqual([status, expect.anything()])
})
