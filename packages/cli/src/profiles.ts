import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Env } from './context.ts'
import { CliError } from './failures.ts'

export interface Profile {
  readonly url: string
  readonly orgId: string
  readonly apiKey: string
}

export interface Profiles {
  /** The one that is used unless another is named. */
  readonly current?: string | undefined
  readonly profiles: Readonly<Record<string, Profile>>
}

export function profilesFile(env: Env): string {
  const config = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config')
  return join(config, 'sandglass', 'profiles.json')
}

export async function readProfiles(env: Env): Promise<Profiles> {
  const file = profilesFile(env)
  const text = readIfThere(file)
  if (text === undefined) return { profiles: {} }
  try {
    return { profiles: {}, ...(JSON.parse(text) as Partial<Profiles>) }
  } catch {
    throw new CliError(`${file} is not valid JSON.`, 'Fix it, or remove it and run `sandglass login` again.')
  }
}

/** Writes them so that only this user can read them, and so that a reader sees the old ones or the new ones. */
export async function writeProfiles(env: Env, profiles: Profiles): Promise<void> {
  const file = profilesFile(env)
  const folder = dirname(file)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  const written = `${file}.${process.pid}`
  try {
    writeFileSync(written, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600 })
    renameSync(written, file)
  } finally {
    rmSync(written, { force: true })
  }
}

/** Reads at once, because every command does, and loading the other way to read files takes longer. */
function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new CliError(`The profiles cannot be read: ${message}.`, `Check who owns ${file}.`)
  }
}
