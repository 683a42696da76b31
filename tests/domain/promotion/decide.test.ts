import { describe, expect, test } from 'bun:test'
import { authorise } from '#src/lib/domain/access/authorise.ts'
import type { Principal } from '#src/lib/domain/access/principal.ts'
import { decideConfirmation, decideMove, requiredFor } from '#src/lib/domain/promotion/decide.ts'
import type { Lifecycle, Target } from '#src/lib/domain/promotion/pipeline.ts'
import type { Progress } from '#src/lib/domain/promotion/progress.ts'
import { LifecycleName } from '#src/lib/names.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'

const pipeline = pipelineOf()
const { lifecycles: LIFECYCLES, targets: TARGETS } = pipeline

/**
 * The specification, §3.2 and §5, written down once more: who may trigger what, and from where to where. Nothing here is taken
 * from the code.
 */
const MAY: Readonly<Record<string, readonly string[]>> = {
  development: ['payments', 'payments:Managers', 'platform-team'],
  staging: ['payments:Managers', 'platform-team'],
  production: ['payments:Managers', 'platform-team'],
  deprecated: ['payments:Managers', 'platform-team'],
}
const UP = [
  ['experimental', 'development'],
  ['development', 'staging'],
  ['staging', 'production'],
] as const

/** The stages that each lifecycle has reached: live with an overlay, to be entered without one. A deprecated application takes neither. */
const REACHED: Readonly<Record<string, readonly string[]>> = {
  development: ['development'],
  staging: ['development', 'staging'],
  production: ['development', 'staging', 'production'],
}

/** Every group that could be mistaken for one that counts. */
const GROUPS = [
  'payments',
  'payments:Managers',
  'platform-team',
  'shipping',
  'shipping:Managers',
  'Payments',
  'payments:managers',
  'PLATFORM-TEAM',
  'acme/payments',
  'acme:platform-team',
  'payments ',
] as const

const memberOf = (...names: readonly string[]): Principal => ({
  issuer: 'https://id.example',
  subject: 'ann',
  name: 'Ann',
  email: null,
  groups: { kind: 'known', names },
})

const may = (principal: Principal, target: string) =>
  authorise(principal, requiredFor(pipeline.stageOf(target), 'payments', 'platform-team'))

describe('the role matrix', () => {
  /** All sets of groups, for all targets: 2,048 × 4. */
  const sets = Array.from({ length: 2 ** GROUPS.length }, (_, bits) =>
    GROUPS.filter((_, index) => (bits & (1 << index)) !== 0),
  )

  test.each([...TARGETS])(`to %s, for ${sets.length} sets of groups`, (target) => {
    for (const groups of sets) {
      const outcome = may(memberOf(...groups), target)
      const expected = groups.some((group) => MAY[target]?.includes(group) === true)
      if (outcome.ok !== expected) expect({ target, groups, outcome }).toBe(expected as never)
      if (outcome.ok) {
        expect([...outcome.value].toSorted()).toStrictEqual(
          groups.filter((group) => MAY[target]?.includes(group)).toSorted(),
        )
      }
    }
  })

  test.each([...TARGETS])('to %s, groups that nobody knows grant nothing', (target) => {
    const principal: Principal = { ...memberOf(), groups: { kind: 'unknown', reason: 'missing' } }
    expect(may(principal, target).ok).toBe(false)
  })

  test('a refusal says what would be enough', () => {
    expect(may(memberOf('payments'), 'staging')).toStrictEqual({
      ok: false,
      error: { kind: 'forbidden', required: ['platform-team', 'payments:Managers'] },
    })
  })
})

const RELEASE: Progress = { kind: 'pr_open', pullRequest: 43, hasOverlay: true }
const PROGRESSES: readonly Progress[] = [
  { kind: 'none' },
  { kind: 'pr_open', pullRequest: 42, hasOverlay: false },
  RELEASE,
  { kind: 'pr_closed', pullRequest: 41 },
  { kind: 'on_main' },
]

describe('the way', () => {
  test('every lifecycle, every target, every progress of every environment', () => {
    let combinations = 0
    for (const from of LIFECYCLES) {
      for (const target of TARGETS) {
        for (const dev of PROGRESSES) {
          for (const staging of PROGRESSES) {
            for (const production of PROGRESSES) {
              combinations += 1
              const progresses = new Map<string, Progress>([
                ['development', dev],
                ['staging', staging],
                ['production', production],
              ])
              const progressAt = ({ lifecycle }: { readonly lifecycle: string }): Progress =>
                progresses.get(lifecycle) ?? { kind: 'none' }
              const outcome = decideMove(pipeline, from, target, progressAt)
              const isUp = UP.some(([a, b]) => a === from && b === target)
              const at = progresses.get(target)
              const hasOverlay = at?.kind === 'on_main' || (at?.kind === 'pr_open' && at.hasOverlay)
              const isReached = REACHED[from]?.includes(target) === true
              const isOut = target === 'deprecated' && from !== 'deprecated'
              expect(outcome.ok).toBe(isUp || isOut || isReached)
              if (!outcome.ok || isOut) continue
              const isThere = progresses.get(target)?.kind === 'on_main'
              const reached = hasOverlay ? 'release' : 'propose'
              const ahead = isThere ? 'ready_to_confirm' : 'propose'
              expect(outcome.value.kind).toBe(isReached ? reached : ahead)
            }
          }
        }
      }
    }
    expect(combinations).toBe(5 * 4 * 125)
  })

  test('a refusal says which steps there are', () => {
    const refusal = (from: Lifecycle, to: Target): unknown =>
      decideMove(pipeline, from, to, () => ({ kind: 'none' }))
    const [staging, production] = [LifecycleName.of('staging'), LifecycleName.of('production')]
    expect(refusal('experimental', production)).toStrictEqual({
      ok: false,
      error: {
        kind: 'invalid_transition',
        from: 'experimental',
        to: 'production',
        allowed: ['development', 'deprecated'],
      },
    })
    expect(refusal(staging, LifecycleName.of('acceptance'))).toMatchObject({
      error: { allowed: ['development', 'staging', 'production', 'deprecated'] },
    })
    expect(refusal('deprecated', 'deprecated')).toMatchObject({ error: { allowed: [] } })
  })
})

describe('the confirmation', () => {
  const expected = {
    none: 'overlay_missing',
    pr_open: 'pr_pending',
    pr_closed: 'pr_closed',
    on_main: 'advance',
  } as const

  test('of every lifecycle, to every stage, with every progress', () => {
    for (const from of LIFECYCLES) {
      for (const stage of pipeline.stages) {
        for (const progress of PROGRESSES) {
          const outcome = decideConfirmation(pipeline, from, stage, progress, undefined)
          const kind = outcome.ok ? outcome.value.kind : outcome.error.kind
          const isUp = UP.some(([a, b]) => a === from && b === stage.lifecycle)
          const isHere = from === stage.lifecycle
          const isThere = progress.kind === 'on_main' || progress === RELEASE
          const due = isUp || isHere ? expected[progress.kind] : 'invalid_transition'
          const wanted = isHere && isThere ? 'already_confirmed' : due
          const waiting = decideConfirmation(pipeline, from, stage, progress, 7)
          expect(waiting).toStrictEqual(
            wanted === 'advance'
              ? { ok: false, error: { kind: 'pr_pending', pullRequest: 7 } }
              : outcome,
          )
          expect([from, stage.lifecycle, progress.kind, kind]).toStrictEqual([
            from,
            stage.lifecycle,
            progress.kind,
            wanted,
          ])
        }
      }
    }
  })
})
