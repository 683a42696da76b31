import { describe, expect, test } from 'bun:test'
import { NO_OVERLAY, type OverlayChange, rowOf } from '#src/lib/domain/promotion/history/changes.ts'
import { BranchName, ObjectId } from '#src/lib/names.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'

const STAGE = pipelineOf().first
const COMMIT = ObjectId.of('a'.repeat(40))
const PULL = {
  number: 3,
  title: 'Promote',
  body: '',
  url: 'https://git.example/3',
  state: 'merged',
  head: { branch: BranchName.of('promote/payments/shop/dev'), commit: COMMIT },
  base: BranchName.of('main'),
  mergeable: 'unknown',
  createdBy: 'portico[bot]',
  createdAt: 0,
  closedAt: 1,
  mergeCommit: COMMIT,
  mergedBy: 'pat',
} as const
const OURS: OverlayChange = {
  commit: COMMIT,
  at: 1,
  act: 'promote',
  pull: PULL,
  authorName: 'Dana',
}
const image = (tag: string) => ({ name: 'ghcr.io/acme/shop', tag, digest: null })
const at = (tag: string) => ({ exists: true, image: image(tag) })
const DANA = new Map([[3, { subject: 'dana', name: 'Dana D.' }]])

const row = (change: Partial<OverlayChange>, before = NO_OVERLAY, requesters = DANA) =>
  rowOf(STAGE, { ...OURS, ...change }, at('2'), before, requesters)

describe('a row of the history', () => {
  // prettier-ignore
  test.each<[string, Partial<OverlayChange>, Parameters<typeof rowOf>[3], string]>([
    ['a promotion brings an overlay', {}, NO_OVERLAY, 'promotion'],
    ['a release changes it', {}, at('1'), 'release'],
    ['or one without an image', {}, { exists: true, image: null }, 'release'],
    ['the oldest that is read of a longer history', {}, null, 'release'],
    ['a deprecation that somebody has added to', { act: 'deprecate' }, at('1'), 'deprecation'],
    ['a push', { act: null, pull: null }, at('1'), 'manual'],
    ['a pull request past the portal', { act: null }, NO_OVERLAY, 'manual'],
  ])('%s', (_, change, before, kind) => {
    const made = rowOf(STAGE, { ...OURS, ...change }, at('2'), before, DANA)
    expect(made).toMatchObject({ kind, image: image('2'), previousImage: before?.image ?? null })
  })

  test('who asked is known to the portal, who merged is a name of the host', () => {
    expect(row({})).toMatchObject({
      askedBy: { subject: 'dana', name: 'Dana D.' },
      mergedBy: { subject: null, name: 'pat' },
      pull: { number: 3 },
    })
  })

  test('a name of git has no subject, and an account of the portal’s own asked for nothing', () => {
    const dana = { subject: null, name: 'Dana' }
    expect(row({}, NO_OVERLAY, new Map()).askedBy).toStrictEqual(dana)
    // Somebody else's pull request with a number that the portal once had.
    expect(row({ act: null }).askedBy).toStrictEqual(dana)
    expect(row({ act: null, authorName: null }).askedBy).toStrictEqual({
      subject: null,
      name: 'portico[bot]',
    })
    expect(row({ act: null, authorName: null, pull: null })).toMatchObject({
      askedBy: null,
      mergedBy: null,
    })
  })
})
