import { Type } from 'typebox'
import type { EnvironmentName, LifecycleName } from '../../names.ts'
import type { Pipeline, Target } from './pipeline.ts'

/**
 * Schemas whose values `ENVIRONMENTS` decides. The routes are described before the setting is read, so they refer to these
 * by name, and `pipelineSchemas` has the values.
 */
export const Environment = Type.Unsafe<EnvironmentName>(Type.String({ $id: 'EnvironmentName' }))
export const StageLifecycle = Type.Unsafe<LifecycleName>(Type.String({ $id: 'StageLifecycle' }))
export const TargetLifecycle = Type.Unsafe<Target>(Type.String({ $id: 'TargetLifecycle' }))

export const pipelineSchemas = ({ stages, targets }: Pipeline) => ({
  EnvironmentName: names(stages.map(({ environment }) => environment)),
  StageLifecycle: names(stages.map(({ lifecycle }) => lifecycle)),
  TargetLifecycle: names(targets),
})

const names = <Name extends string>(values: readonly Name[]) =>
  Type.Unsafe<Name>(Type.Enum([...values], { type: 'string' }))
