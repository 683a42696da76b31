import { expect, test } from 'bun:test'
import { BY_ANN, ended, openScaffold } from './open-scaffold.ts'

test('a name that a run takes and completes while another request looks for it is taken', async () => {
  await using fixture = await openScaffold()
  const { scaffold, ports, gitHost } = fixture
  const { ...own } = gitHost
  const [looked, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  ports.gitHost.head = async (...args) => {
    const head = await gitHost.head(...args)
    if (args[0].name === 'shop') {
      looked.resolve()
      await ending.promise
    }
    return head
  }
  const second = fixture.submit({ description: 'the second' }).catch(String)
  await looked.promise
  Object.assign(ports.gitHost, own)
  const first = await fixture.submit()
  scaffold.start()
  expect(await ended(fixture, first)).toMatchObject({ event: 'done' })
  ending.resolve()
  expect(await second).toContain('"already_exists"')
  const runs = await scaffold.list(BY_ANN.principal, { team: null, before: null, limit: 10 })
  expect(runs).toMatchObject({ value: { runs: [{ id: first }] } })
})
