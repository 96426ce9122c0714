import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AssistantFormat } from './assistants.ts'
import { CliError } from './failures.ts'

interface Entry {
  readonly name: string
  readonly url: string
  /** In place of a reference to it. */
  readonly apiKey?: string
}

type Configuration = Readonly<Record<string, unknown>>

/** The whole configuration of an assistant that has nothing else. */
export function configurationFor(format: AssistantFormat, entry: Entry): Configuration {
  return added({}, format, entry)
}

/** Adds a server to the file of an assistant in a folder, and keeps everything else in it. */
export async function addToFile(folder: string, format: AssistantFormat, entry: Entry): Promise<string> {
  const file = join(folder, format.file)
  const before = parse(await readFile(file, 'utf8').catch(missing), format.file)
  await mkdir(dirname(file), { recursive: true })
  const text = `${JSON.stringify(added(before, format, entry), undefined, 2)}\n`
  await writeFile(file, text, entry.apiKey === undefined ? {} : { mode: 0o600 })
  if (entry.apiKey !== undefined) await chmod(file, 0o600)
  return format.file
}

function added(before: Configuration, format: AssistantFormat, { name, url, apiKey }: Entry): Configuration {
  const server = {
    ...(format.namesType && { type: 'http' }),
    url,
    headers: { 'X-Api-Key': apiKey ?? format.keyReference },
  }
  const needsInput = apiKey === undefined && format.inputs
  return {
    ...before,
    ...(needsInput && { inputs: withInputs(before['inputs'], format.inputs ?? []) }),
    [format.servers]: { ...(before[format.servers] as object | undefined), [name]: server },
  }
}

function withInputs(before: unknown, inputs: readonly { readonly id: string }[]): unknown[] {
  const kept = Array.isArray(before) ? before.filter(one => !inputs.some(({ id }) => id === one?.id)) : []
  return [...kept, ...inputs]
}

function missing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '{}'
  throw error
}

function parse(text: string, file: string): Configuration {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Configuration
  } catch {
    // It may have comments, which would be lost.
  }
  throw new CliError(
    `${file} is not plain JSON, so it was not changed.`,
    'Run this without --write, and add it by hand.',
  )
}
