import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  openProcesses,
  type ForeignWrite,
  type ProcessEnd,
  type ProcessRequest,
  type Values,
} from './open-processes.ts'

const CALL_MS_MAX = 40
const HALVES_MAX = 24
const RUNS = 1000

let processes: Awaited<ReturnType<typeof openProcesses>>
beforeAll(async () => {
  processes = await openProcesses()
})
afterAll(() => processes[Symbol.asyncDispose]())

const anyLatencies = fc.array(fc.integer({ min: 1, max: CALL_MS_MAX }), {
  minLength: 8,
  maxLength: 8,
})
const anyProcess = (
  values: fc.Arbitrary<Values>,
  facts: Partial<ProcessRequest> = {},
): fc.Arbitrary<ProcessRequest> =>
  fc
    .record({
      values,
      startsAt: fc.integer({ min: 0, max: 200 }),
      latencies: anyLatencies,
      overwrite: fc.boolean(),
      diesAt: fc.oneof(fc.constant(-1), fc.integer({ min: 0, max: HALVES_MAX })),
    })
    .map((request) => ({ ...request, ...facts }))
const several = (process: fc.Arbitrary<ProcessRequest>) =>
  fc.array(process, { minLength: 2, maxLength: 3 })
const anyForeign = (values: fc.Arbitrary<Values>): fc.Arbitrary<readonly ForeignWrite[]> =>
  fc.array(fc.record({ values, at: fc.integer({ min: 0, max: 900 }) }), { maxLength: 2 })

/** The requests repeat later, one after the other, without overwriting and without a death. */
const again = (requests: readonly ProcessRequest[]): readonly ProcessRequest[] =>
  requests.map((request, index) => ({
    ...request,
    overwrite: false,
    startsAt: 100_000 * (index + 1),
    diesAt: -1,
  }))

/** Requests that were told that an earlier call with their values had written the version. */
const foundVersions = (requests: readonly ProcessRequest[], ends: readonly ProcessEnd[]) =>
  ends.flatMap((end, index) => {
    const request = requests[index]
    return end.kind === 'done' && !end.isNew && request !== undefined
      ? [{ ...request, version: end.version }]
      : []
  })

test('the same request to several processes at once: one writes, the others find it, and so does a repetition', async () => {
  const values = { A: 'a', B: 'b' }
  const living = anyProcess(fc.constant(values), { overwrite: false, diesAt: -1 })
  await fc.assert(
    fc.asyncProperty(several(living), async (requests) => {
      const { ends, versions, labels } = await processes.run([...requests, ...again(requests)])
      expect(ends.map((end) => end.kind === 'done' && end.version)).toStrictEqual(ends.map(() => 1))
      expect(ends.filter((end) => end.kind === 'done' && end.isNew)).toHaveLength(1)
      expect(versions).toStrictEqual([{ values, merged: values }])
      expect(labels).not.toBeEmpty()
    }),
    { numRuns: RUNS },
  )
})

const anyRequest = anyProcess(
  fc.constantFrom<Values>({ A: '1' }, { A: '2' }, { A: '1', B: '1' }, { B: '2' }),
)

test('no request takes the write of another for its own, whoever dies when', async () => {
  const foreign = anyForeign(fc.constantFrom<Values>({ C: 'x' }, { D: 'x' }))
  await fc.assert(
    fc.asyncProperty(several(anyRequest), foreign, async (first, others) => {
      const requests = [...first, ...again(first)]
      const { ends, versions } = await processes.run(requests, others)
      for (const { values, version } of foundVersions(requests, ends)) {
        expect(versions[version - 1]?.merged).toStrictEqual(values)
      }
    }),
    { numRuns: RUNS },
  )
})

test('nor that of somebody outside of Portico, unless a process with its values died', async () => {
  const foreign = anyForeign(fc.constantFrom<Values>({ A: 'x' }, { B: 'x' }, { A: 'x', B: 'x' }))
  await fc.assert(
    fc.asyncProperty(several(anyRequest), foreign, async (first, others) => {
      const requests = [...first, ...again(first)]
      const { ends, versions } = await processes.run(requests, others)
      for (const { values, version } of foundVersions(requests, ends)) {
        const hasDied = requests.some(
          (request, index) =>
            ends[index]?.kind === 'died' && Bun.deepEquals(request.values, values),
        )
        if (!hasDied) expect(versions[version - 1]?.merged).toStrictEqual(values)
      }
    }),
    { numRuns: RUNS },
  )
})
