import { type TSchema, type TSchemaOptions, Type } from 'typebox'

export const Nullable = <Schema extends TSchema>(schema: Schema, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)
