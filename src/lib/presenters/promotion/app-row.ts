import { Type } from 'typebox'
import type { AppRow as Row } from '../../domain/promotion/overview/rows.ts'
import { Environment } from '../../domain/promotion/pipeline-schemas.ts'
import { Nullable } from '../../schema/nullable.ts'
import type { ItemJson } from '../json-lists.ts'
import { entityNameBody, ListedEntityName } from '../catalog/entity-name.ts'

const Text = Type.String()

export const ImageVersion = Type.Object(
  { tag: Nullable(Text), digest: Nullable(Text) },
  { $id: 'ImageVersion' },
)

export const AppRow = Type.Object(
  {
    entity: ListedEntityName,
    team: Text,
    app: Text,
    lifecycle: Text,
    environments: Type.Array(
      Type.Object({
        name: Environment,
        state: Type.Enum(['none', 'pr_open', 'ready_to_confirm', 'live'], {
          description:
            'As in the promotion state, except that a pull request which was closed without a merge is not looked for: `none`',
        }),
        image: Nullable(ImageVersion),
        pullRequest: Nullable(Type.Integer({ description: 'Number of the open pull request' })),
        behind: Nullable(Environment),
      }),
      {
        description:
          'All environments, in the order of promotion. `behind` is the nearest live environment before this one, if this one is live too and runs another image',
      },
    ),
  },
  { $id: 'ApplicationRow' },
)

const rendered = new WeakMap<Row, ItemJson>()

/** Made once for a row, which outlives the changes of others. */
export function appRowJson(row: Row): ItemJson {
  const known = rendered.get(row)
  if (known !== undefined) return known
  const json = JSON.stringify(appRowBody(row))
  const made = { json, jsonBytes: Buffer.byteLength(json) }
  rendered.set(row, made)
  return made
}

/** Members are only ever added. */
const appRowBody = ({ entity, team, app, lifecycle, environments }: Row) => ({
  entity: entityNameBody(entity),
  team,
  app,
  lifecycle,
  environments: environments(),
})

export const exampleAppRow = {
  entity: { kind: 'Component', name: 'payments-api', title: 'Payments API' },
  team: 'payments',
  app: 'payments-api',
  lifecycle: 'staging',
  environments: [
    {
      name: 'dev',
      state: 'live',
      image: { tag: '1.6.0', digest: null },
      pullRequest: null,
      behind: null,
    },
    {
      name: 'staging',
      state: 'live',
      image: { tag: '1.5.2', digest: null },
      pullRequest: 42,
      behind: 'dev',
    },
    { name: 'production', state: 'none', image: null, pullRequest: null, behind: null },
  ],
}
