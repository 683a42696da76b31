import { type Config, productionVariables, readConfig } from '../config.ts'
import type { Environment, SettingMistake } from '../lib/settings/setting.ts'
import type { Result } from '../lib/result.ts'
import { PLATFORM_GROUP } from './people.ts'

export const WEBHOOK_TOKEN = 'demo-webhook-token'

/**
 * What only a real installation has, besides the settings that say so themselves. Credentials only, of `GITHUB_`: a
 * workflow runner sets a dozen others for every program that it runs.
 */
const FOREIGN = /^GITHUB_(?:TOKEN|APP_)|^(?:GITEA|OIDC|VAULT)_/

/** Names of variables that mean this machine is set up for real. Never their values. */
export const foreignVariables = (environment: Environment): readonly string[] =>
  [
    ...productionVariables(environment),
    ...Object.keys(environment).filter(
      (name) => FOREIGN.test(name) && environment[name] !== undefined,
    ),
  ].toSorted()

/** Everything but the address, which the socket decides, and the session keys, which the data directory keeps. */
export type DemoConfig = Omit<
  Config,
  'PUBLIC_URL' | 'SESSION_KEYS' | 'openGitHost' | 'openSecretStore'
>

const NEVER_USED = {
  PUBLIC_URL: 'http://127.0.0.1',
  SESSION_KEYS: `unused:${Buffer.alloc(32).toString('base64')}`,
  SECRET_STORE_KEYS: `unused:${Buffer.alloc(32).toString('base64')}`,
}

/** Of the environment only these five count. */
export const readDemoConfig = ({
  PORT,
  DATA_DIR,
  LOG_LEVEL,
  WEBHOOK_TOKEN: token = WEBHOOK_TOKEN,
  BUN_CONFIG_MAX_HTTP_REQUESTS,
}: Environment): Result<DemoConfig, readonly SettingMistake[]> =>
  readConfig(
    {
      ...NEVER_USED,
      PORT,
      BUN_CONFIG_MAX_HTTP_REQUESTS,
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
