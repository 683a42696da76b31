import { expect, test } from 'bun:test'
import { movesOf, readChanges } from '#src/lib/domain/promotion/history/changes.ts'
import { createMergedPulls, createOverlayLog } from '#src/lib/domain/promotion/history/log.ts'
import { branchNameOf, trailerOf } from '#src/lib/domain/promotion/move.ts'
import { AppName, type ObjectId, TeamName } from '#src/lib/names.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { openFake } from '#tests/adapters/hosts/gitea/open-gitea.ts'
import { AUTHOR, MAIN, path, value, write } from '#tests/contracts/git-host.ts'
import { ask } from '#tests/peers/gitea/server-under-test.ts'
import { pipelineOf } from '#tests/support/pipeline.ts'

const SHOP = { team: TeamName.of('payments'), app: AppName.of('shop') }
const MOVES = movesOf(SHOP, pipelineOf().first)
const [MOVE] = MOVES
const FOLDER = path('apps/payments/shop/overlays/dev')

/** Gitea knows the pull request of its last commit, and of the commit on the base alone. */
test.each(['merge', 'squash', 'rebase'])(
  'all commits of a promotion at Gitea are one change after a %s, those of CI too',
  async (style) => {
    if (MOVE === undefined) throw new Error('no move')
    await using fixture = await openFake()
    const { host, repository, server } = fixture
    const change = async (branch: typeof MAIN, parent: ObjectId, message: string, isNew = false) =>
      value(
        await host.commit(repository, {
          branch,
          from: isNew ? { kind: 'create', parent } : { kind: 'advance', expected: parent },
          changes: [write(`${FOLDER}/kustomization.yaml`, message)],
          message,
          author: AUTHOR,
        }),
      ).commit

    const { commit: seed } = value(await host.head(repository))
    const before = await change(MAIN, seed, 'by hand')
    const head = branchNameOf(MOVE)
    const first = await change(head, before, `promote\n\n${trailerOf(MOVE)}\n`, true)
    const ci = await change(head, first, 'CI')
    await change(head, ci, `update\n\n${trailerOf(MOVE)}\n`)
    const draft = { head, base: MAIN, title: 'Promote', body: trailerOf(MOVE), author: AUTHOR }
    const { number } = value(await host.openPullRequest(repository, draft)).pullRequest
    const merge = `/repos/acme/${repository.name}/pulls/${number}/merge`
    await ask(server, 'POST', merge, { do: style })

    const { commit: tip } = value(await host.head(repository))
    const log = value(await createOverlayLog(host, repository)(tip, SHOP, ['dev']))
    const query = { base: MAIN, moves: MOVES, before: null, limit: 9 }
    const read = await readChanges(createMergedPulls(host, repository, systemClock), log, query)
    expect(read).toMatchObject({
      ok: true,
      value: {
        changes: [
          { commit: tip, act: 'promote', pull: { number, mergedBy: 'portico' } },
          { commit: before, act: null, pull: null },
        ],
        older: null,
      },
    })
  },
)
