import { err, ok, type Result } from '../result.ts'
import {
  readSettings,
  type SettingMistake,
  type SettingSource,
  type SettingTable,
  type SettingValues,
} from './setting.ts'

/** Opens an adapter. `Means` are the dependencies of every kind of it. The failure is a sentence for the operator and stops the start. */
export type OpenAdapter<Means, Port> = (means: Means) => Promise<Result<Port, string>>

/** A kind of adapter that configuration can choose. Its settings are read, and required, only when it is chosen. */
export interface AdapterKind<Means, Port> {
  readonly settings: SettingTable
  readonly read: (
    source: SettingSource,
  ) => Result<OpenAdapter<Means, Port>, readonly SettingMistake[]>
}

/** Configuration is read before adapters are loaded: `open` imports its adapter itself. */
export const adapterKind = <Table extends SettingTable, Means, Port>({
  settings,
  mistakes,
  open,
}: {
  readonly settings: Table
  /** Mistakes in the combination of values, each of which is valid. */
  readonly mistakes?: (values: SettingValues<Table>) => readonly SettingMistake[]
  readonly open: (values: SettingValues<Table>, means: Means) => Promise<Result<Port, string>>
}): AdapterKind<Means, Port> => ({
  settings,
  read(source) {
    const values = readSettings(settings, source)
    if (!values.ok) return values
    const found = mistakes?.(values.value) ?? []
    return found.length > 0 ? err(found) : ok((means) => open(values.value, means))
  },
})
