import { isOutage } from '../lib/domain/catalog/load.ts'
import { createAskers } from '../lib/domain/gitops/askers.ts'
import { createAppsReader } from '../lib/domain/promotion/overview/apps-reader.ts'
import {
  createOverviews,
  type OverviewsOptions,
} from '../lib/domain/promotion/overview/overview.ts'
import { createPromotion, type PromotionOptions } from '../lib/domain/promotion/promotion.ts'
import type { PortalOptions } from './options.ts'

/** Applications in their environments, and the moves between them. */

export const makeAskers = ({ database, clock, config }: PortalOptions) =>
  createAskers({ store: database.askers, repository: config.GITOPS_REPOSITORY, clock })

export const makeApps = ({ gitHost, config }: PortalOptions) =>
  createAppsReader(gitHost, config.GITOPS_REPOSITORY, config.ENVIRONMENTS)

export const makeOverviews = (
  { gitHost, clock, log, config }: PortalOptions,
  parts: Pick<OverviewsOptions, 'catalog' | 'apps' | 'askers'>,
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
      if (!outcome.ok) {
        // The catalog tells of an outage, and this one is tried again every two seconds.
        const level = isOutage(outcome.error) ? 'debug' : 'warn'
        log.events[level]({ failure: outcome.error, tookMs }, 'overview not loaded')
      } else log.events.debug({ revision: outcome.value.revision, tookMs }, 'overview loaded')
    },
  })

export const makePromotion = (
  options: PortalOptions,
  parts: Pick<PromotionOptions, 'catalog' | 'apps' | 'audit' | 'askers' | 'moves'>,
) =>
  createPromotion({
    ...parts,
    gitHost: options.gitHost,
    secretStore: options.secretStore,
    repository: options.config.GITOPS_REPOSITORY,
    secretWrites: options.database.secretWrites,
    digestKeyring: options.digestKeyring,
    proposals: options.database.proposals,
    log: (event) =>
      options.log.events[event.kind === 'finished' ? 'info' : 'warn'](
        event,
        'proposal left behind',
      ),
    clock: options.clock,
    platformGroup: options.config.PLATFORM_GROUP,
    pipeline: options.config.ENVIRONMENTS,
  })
