import { randomBytes } from 'node:crypto'
import type { PortalConfig } from '../compose/options.ts'
import { productionVariables, readConfig } from '../config/config.ts'
import type { Environment, SettingMistake, SettingSource } from '../lib/settings/setting.ts'
import type { Result } from '../lib/result.ts'
import { PLATFORM_GROUP } from './people.ts'

export const WEBHOOK_TOKEN = 'demo-webhook-token'

/** Variables of a real installation. Only credentials of `GITHUB_…` count, because GitHub Actions sets many others. */
const INSTALLATION = /^GITHUB_(?:TOKEN|APP_)|^(?:GITEA|OIDC|VAULT)_/

/** The names of set variables that belong to a real installation. */
export const installationVariables = (environment: Environment): readonly string[] =>
  [
    ...productionVariables(environment),
    ...Object.keys(environment).filter(
      (name) => INSTALLATION.test(name) && environment[name] !== undefined,
    ),
  ].toSorted()

/** `readConfig` requires keys; the demo makes its own in the data directory. */
const unusedKeys = () => `unused:${randomBytes(32).toString('base64')}`

/** The demo reads every setting, as `serve` does, except those that say where it runs and on what. */
export const readDemoConfig = (
  environment: Environment,
  readFile: SettingSource['readFile'],
): Result<PortalConfig, readonly SettingMistake[]> =>
  readConfig(
    {
      ...(environment['WEBHOOK_TOKEN_FILE'] === undefined && { WEBHOOK_TOKEN }),
      ...environment,
      PUBLIC_URL: 'http://127.0.0.1',
      HOST: '127.0.0.1',
      SESSION_KEYS: unusedKeys(),
      SECRET_STORE_KEYS: unusedKeys(),
      PLATFORM_GROUP,
      GITOPS_REPOSITORY: 'acme/gitops',
    },
    readFile,
  )
