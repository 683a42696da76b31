import { type Config, productionVariables, readConfig } from '../config.ts'
import type { Environment, SettingMistake } from '../lib/settings/setting.ts'
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

/** The socket decides the address, and the data directory has the keys. */
export type DemoConfig = Omit<
  Config,
  'PUBLIC_URL' | 'SESSION_KEYS' | 'openGitHost' | 'openSecretStore' | 'openIdentity'
>

/** `readConfig` requires these; the demo never reads them. */
const PLACEHOLDERS = {
  PUBLIC_URL: 'http://127.0.0.1',
  SESSION_KEYS: `unused:${Buffer.alloc(32).toString('base64')}`,
  SECRET_STORE_KEYS: `unused:${Buffer.alloc(32).toString('base64')}`,
}

/** The demo reads these six variables only. */
export const readDemoConfig = ({
  PORT,
  DATA_DIR,
  LOG_LEVEL,
  WEBHOOK_TOKEN: token = WEBHOOK_TOKEN,
  BUN_CONFIG_MAX_HTTP_REQUESTS,
  ENVIRONMENTS,
}: Environment): Result<DemoConfig, readonly SettingMistake[]> =>
  readConfig(
    {
      ...PLACEHOLDERS,
      PORT,
      BUN_CONFIG_MAX_HTTP_REQUESTS,
      ENVIRONMENTS,
      DATA_DIR,
      LOG_LEVEL,
      WEBHOOK_TOKEN: token,
      HOST: '127.0.0.1',
      PLATFORM_GROUP,
      GITOPS_REPOSITORY: 'acme/gitops',
    },
    () => {
      throw new Error('no setting of the demo comes from a file')
    },
  )
