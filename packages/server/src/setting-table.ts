import { resolve } from 'node:path'
import { z } from 'zod'

/** One environment variable. */
export interface Setting {
  /** A sentence for docs/settings.md. */
  readonly about: string
  /** The default, as it would be written in the environment. It is omitted if there is none. */
  readonly default?: string
  readonly schema: z.ZodType
  /** The value is never shown, even if it is invalid. */
  readonly secret?: true
  /** The value is the path of a file that the service reads. */
  readonly file?: true
}

/** Settings by their names. docs/settings.md is generated from these tables. */
export type SettingTable = Readonly<Record<string, Setting>>

/** The values that a table reads from an environment. Only a setting without a default can be undefined. */
export type SettingValues<Table extends SettingTable> = {
  readonly [Name in keyof Table]: Table[Name] extends { readonly default: string }
    ? z.output<Table[Name]['schema']>
    : z.output<Table[Name]['schema']> | undefined
}

export type Environment = Readonly<Record<string, string | undefined>>

/** A setting that cannot be used. The message is a sentence that names it. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

/** A list that is separated by commas. */
export const list = z.string().transform(text =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== ''),
)

/** A path, made absolute, because the service does not keep the working directory that it was started in. */
export const path = z
  .string()
  .min(1)
  .transform(text => resolve(text))

/** Reads the settings of a table, and throws a {@link SettingError} for an invalid one. */
export function readTable<Table extends SettingTable>(table: Table, env: Environment): SettingValues<Table> {
  return Object.fromEntries(
    Object.entries(table).map(([name, setting]) => [name, readOne(name, setting, env[name])]),
  ) as SettingValues<Table>
}

function readOne(name: string, { default: fallback, schema, secret }: Setting, given: string | undefined) {
  const text = given === undefined || given === '' ? fallback : given
  if (text === undefined) return undefined
  const result = schema.safeParse(text)
  if (result.success) return result.data
  const problem = result.error.issues[0]?.message ?? 'is wrong'
  throw new SettingError(
    secret ? `${name} ${problem}.` : `${name} ${problem}; it is ${JSON.stringify(text)}.`,
  )
}
