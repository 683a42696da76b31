import { describe, expect, test } from 'bun:test'
import { createRows, environmentsOf, statesOf } from '#src/lib/domain/promotion/overview/rows.ts'
import { proposedMoveOf } from '#src/lib/domain/promotion/move.ts'
import type { Stage } from '#src/lib/domain/promotion/pipeline.ts'
import type { Image } from '#src/lib/domain/gitops/overlay.ts'
import { BranchName, ObjectId, RunId } from '#src/lib/names.ts'
import type { PullRequest } from '#src/lib/ports/git-host.ts'
import { entityOf } from '#tests/domain/catalog/draft.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'
import { GITOPS } from '#tests/support/portal.ts'

const pipeline = pipelineOf()
const tag = (text: string, digest: string | null = null): Image => ({ tag: text, digest })
const UNTAGGED: Image = { tag: null, digest: null }

function pull(body: string, branch: string, number = 7): PullRequest {
  return {
    number,
    title: 'Anything',
    body,
    url: `https://git.example/${number}`,
    state: 'open',
    head: { branch: BranchName.of(branch), commit: ObjectId.of('a'.repeat(40)) },
    base: BranchName.of('main'),
    mergeable: 'unknown',
    createdBy: 'bot',
    createdAt: 1_000,
    closedAt: null,
    mergedBy: null,
    mergeCommit: null,
  }
}

const nameOf = (stage: Stage | null): string | null => stage?.environment ?? null

const moveFor = (name: string, number = 7) =>
  proposedMoveOf(pull(`Text\n\nPortico-Move: ${name}\n`, name, number), pipeline)

/** `images`: by environment; an environment that is left out has no overlay. */
function environments(
  lifecycle: string,
  images: Readonly<Record<string, Image | null>>,
  open: readonly string[] = [],
) {
  const known = pipeline.parseLifecycle(lifecycle)
  if (known === undefined) throw new Error('the test is wrong')
  const byStage = new Map(
    pipeline.stages.flatMap((stage) => {
      const image = images[stage.environment]
      return image === undefined ? [] : [[stage, image] as const]
    }),
  )
  const moves = open.flatMap((name, index) => moveFor(`promote/payments/shop/${name}`, index) ?? [])
  const states = statesOf(pipeline, known, { stages: new Set(byStage.keys()) }, moves)
  return environmentsOf(states, byStage, moves).map(
    ({ state, image, pullRequest, behind }) =>
      [state, image?.tag ?? null, pullRequest, behind] as const,
  )
}

describe('the environments of an application', () => {
  test('have the states of the promotion state', () => {
    expect(environments('experimental', {})).toStrictEqual([
      ['none', null, null, null],
      ['none', null, null, null],
      ['none', null, null, null],
    ])
    expect(
      environments('development', { dev: tag('1'), staging: null }, [
        'staging',
        'production',
        'dev',
      ]),
    ).toStrictEqual([
      ['live', '1', 2, null],
      ['pr_open', null, 0, null],
      ['pr_open', null, 1, null],
    ])
    expect(environments('development', { dev: tag('1'), staging: tag('1') })[1]).toStrictEqual([
      'ready_to_confirm',
      '1',
      null,
      null,
    ])
    expect(environments('deprecated', { dev: tag('1') })[0]?.[0]).toBe('live')
  })

  const live = (
    dev: Image | null,
    staging: Image | null,
    production: Image | null,
  ): readonly (string | null | undefined)[] =>
    environments('production', { dev, staging, production }).map(([, , , behind]) => behind)

  test('are behind the nearest live one before them that runs another image', () => {
    expect(live(tag('2'), tag('1'), tag('1'))).toStrictEqual([null, 'dev', null])
    expect(live(tag('2'), tag('2'), tag('1'))).toStrictEqual([null, null, 'staging'])
    expect(live(tag('2'), UNTAGGED, tag('1'))).toStrictEqual([null, null, 'dev'])
    expect(live(null, tag('2'), tag('2'))).toStrictEqual([null, null, null])
    expect(environments('development', { dev: tag('2'), staging: tag('1') })[1]).toStrictEqual([
      'ready_to_confirm',
      '1',
      null,
      null,
    ])
  })

  test('compare digests where both have one, and tags otherwise', () => {
    const [a, b] = ['sha256:a', 'sha256:b']
    expect(live(tag('1', a), tag('1', b), tag('1'))).toStrictEqual([null, 'dev', null])
    expect(live(tag('1', a), tag('2', a), tag('2'))).toStrictEqual([null, null, null])
  })
})

describe('a row', () => {
  const shop = entityOf('shop', { owner: 'group:acme/payments', lifecycle: 'development' })
  const folderOf = (image: string) => {
    const stages = pipeline.stages.slice(0, 1)
    const images = () => new Map(stages.map((stage) => [stage, tag(image)]))
    return { stages: new Set(stages), images, rowVersion: image } as never
  }
  const [folder, equal, other] = [folderOf('1'), folderOf('1'), folderOf('2')]
  const build = createRows(GITOPS, pipeline)
  const rowFor = async (inFolder: never, open: readonly PullRequest[] = []) => {
    const folders = new Map([['apps/payments/shop', inFolder]])
    const catalog = { entities: [shop], ambiguous: new Set<string>() }
    const { rows } = await build(catalog, { folders, cut: [] }, open)
    return rows[0]
  }

  test('is made again when its folder or its open moves change', async () => {
    const row = await rowFor(folder)
    expect(row?.environments()[0]?.image?.tag).toBe('1')
    expect(await rowFor(folder)).toBe(row)
    // As after a change of a file that the row does not show.
    expect(await rowFor(equal)).toBe(row)
    expect((await rowFor(other))?.environments()[0]?.image?.tag).toBe('2')
    const name = 'promote/payments/shop/staging'
    const moving = await rowFor(folder, [pull(`Portico-Move: ${name}\n`, name, 8)])
    expect(moving?.environments()[1]).toMatchObject({ state: 'pr_open', pullRequest: 8 })
    const again = await rowFor(folder, [pull(`Portico-Move: ${name}\n`, `${name}.2`, 9)])
    expect(again?.environments()[1]).toMatchObject({ state: 'pr_open', pullRequest: 9 })
    expect((await rowFor(folder))?.environments()[1]?.state).toBe('none')
  })
})

describe('a pull request is a move of the portal', () => {
  const told = (found: ReturnType<typeof proposedMoveOf>) =>
    found && [found.act, `${found.team}/${found.app}`, nameOf(found.stage)]

  test('by its branch and the last line of its body', () => {
    expect(told(moveFor('promote/payments/shop/staging'))).toStrictEqual([
      'promote',
      'payments/shop',
      'staging',
    ])
    expect(told(moveFor('lifecycle/payments/shop/dev'))?.[0]).toBe('lifecycle')
    expect(told(moveFor('deprecate/payments/shop'))).toStrictEqual([
      'deprecate',
      'payments/shop',
      null,
    ])
    const again = pull('Portico-Move: promote/payments/shop/dev', 'promote/payments/shop/dev.3')
    expect(told(proposedMoveOf(again, pipeline))?.[0]).toBe('promote')
  })

  test('of a scaffold by its run', () => {
    const run = RunId.of(Bun.randomUUIDv7())
    const scaffold = pull(`Adds it\n\nPortico-Run: ${run}\n`, 'scaffold/payments/shop')
    expect(told(proposedMoveOf(scaffold, pipeline))).toStrictEqual([
      'scaffold',
      'payments/shop',
      null,
    ])
  })

  test.each([
    ['nothing', 'feature/x'],
    ['Portico-Move: promote/payments/shop/dev', 'feature/x'],
    ['Portico-Move: promote/payments/shop/dev\nmore', 'promote/payments/shop/dev'],
    ['Portico-Move: promote/payments/shop/moon', 'promote/payments/shop/moon'],
    ['Portico-Move: promote/payments/shop', 'promote/payments/shop'],
    ['Portico-Move: deprecate/payments/shop/dev', 'deprecate/payments/shop/dev'],
    ['Portico-Move: steal/payments/shop/dev', 'steal/payments/shop/dev'],
    ['Portico-Move: promote/payments/shop/dev/x', 'promote/payments/shop/dev/x'],
    ['Portico-Move: promote/../shop/dev', 'promote/payments/shop/dev'],
    ['Portico-Move: promote/payments/shop/..', 'promote/payments/shop/dev'],
    ['Portico-Move: lifecycle/payments/shop/two words', 'lifecycle/payments/shop/dev'],
    ['Portico-Run: none', 'scaffold/payments/shop'],
    ['', 'scaffold'],
  ])('and not with the body %p on the branch %p', (body, branch) => {
    expect(proposedMoveOf(pull(body, branch), pipeline)).toBeUndefined()
  })
})
