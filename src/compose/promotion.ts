import { isAway } from '../lib/domain/catalog/load-failure.ts'
import { createRequesters } from '../lib/domain/gitops/requesters.ts'
import { createPullRequestFacts } from '../lib/domain/gitops/pull-request-facts.ts'
import { createAppsReader } from '../lib/domain/promotion/overview/apps-reader.ts'
import {
  createOverviews,
  type OverviewsOptions,
} from '../lib/domain/promotion/overview/overview.ts'
import type { MoveRunEvent } from '../lib/domain/promotion/move-runs.ts'
import { createPromotion, type PromotionOptions } from '../lib/domain/promotion/promotion.ts'
import { recordedProblem } from '../lib/http/problem.ts'
import type { PartOptions, PortalOptions } from './options.ts'
import { causeOf, repositoryLimits } from './parts.ts'

/** Applications in their environments, and the moves between them. */

export const makeRequesters = ({ database, clock, config }: PortalOptions) =>
  createRequesters({ store: database.requesters, repository: config.GITOPS_REPOSITORY, clock })

export const makeFacts = ({ gitHost, clock, config }: PortalOptions) =>
  createPullRequestFacts(gitHost, config.GITOPS_REPOSITORY, clock)

export const makeApps = ({ gitHost, config }: PortalOptions) =>
  createAppsReader(gitHost, config.GITOPS_REPOSITORY, config.ENVIRONMENTS, repositoryLimits(config))

export const makeOverviews = (
  { gitHost, clock, log, outages, config }: PartOptions,
  parts: Pick<OverviewsOptions, 'catalog' | 'apps' | 'requesters'>,
) =>
  createOverviews({
    ...parts,
    gitHost,
    repository: config.GITOPS_REPOSITORY,
    pipeline: config.ENVIRONMENTS,
    clock,
    ttlSeconds: config.CATALOG_TTL_SECONDS,
    maxStaleSeconds: config.CATALOG_MAX_STALE_SECONDS,
    onLoaded: (outcome, tookMs) => {
      if (outcome.ok) {
        outages.worked('the overview')
        log.events.debug({ revision: outcome.value.revision, tookMs }, 'overview loaded')
      } else if (!isAway(outcome.error)) {
        // The catalog tells of an outage.
        const { error: failure } = outcome
        outages.failed('the overview', causeOf(failure), { failure, tookMs }, 'overview not loaded')
      }
    },
  })

const RUN_EVENT_LEVELS = {
  run_ended: 'info',
  run_paused: 'warn',
  run_lost: 'error',
  unexpected: 'error',
} as const satisfies Record<MoveRunEvent['kind'], string>

export const makePromotion = (
  options: PortalOptions,
  parts: Pick<
    PromotionOptions,
    'catalog' | 'apps' | 'audit' | 'runs' | 'requesters' | 'facts' | 'pulls'
  >,
) =>
  createPromotion({
    ...parts,
    gitHost: options.gitHost,
    secretStore: options.secretStore,
    repository: options.config.GITOPS_REPOSITORY,
    secretWrites: options.database.secretWrites,
    digestKeyring: options.digestKeyring,
    runStore: options.database.runs,
    explain: recordedProblem,
    log: (event) => options.log.events[RUN_EVENT_LEVELS[event.kind]](event, 'promotion'),
    clock: options.clock,
    platformGroup: options.config.PLATFORM_GROUP,
    pipeline: options.config.ENVIRONMENTS,
  })
