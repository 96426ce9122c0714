import type { Env } from './context.ts'
import { CliError } from './failures.ts'
import type { GlobalOptions } from './global-options.ts'
import { readProfiles } from './profiles.ts'

/** Which service a command calls. What is undefined is found by the client, in the credentials file of a local start. */
export interface Connection {
  readonly url: string | undefined
  readonly orgId: string | undefined
  readonly apiKey: string | undefined
  /** For people: where this comes from. */
  readonly source: string
  readonly profile?: string
}

/**
 * The first of: the profile that was named, SANDGLASS_API_KEY, the profile of the last login, a local start. `--url` and `--org`
 * change it, except that a stored key is never sent to another address than the one that it was stored for.
 */
export async function findConnection(options: GlobalOptions, env: Env): Promise<Connection> {
  const found = await findSource(options, env)
  const connection = { ...found, ...(options.org && { orgId: options.org }) }
  const { url } = options
  if (!url || !found.isStored) return { ...connection, url: url ?? found.url }
  if (found.url && sameOrigin(url, found.url)) return { ...connection, url }
  throw new CliError(
    `There is no API key for ${url}.`,
    'Set SANDGLASS_API_KEY, or store one with `sandglass login --url`. Keys are not options, because other users can see them.',
  )
}

interface Source extends Connection {
  readonly isStored: boolean
}

async function findSource(options: GlobalOptions, env: Env): Promise<Source> {
  const named = options.profile ?? env['SANDGLASS_PROFILE']
  if (!named && env['SANDGLASS_API_KEY'])
    return {
      url: env['SANDGLASS_URL'],
      orgId: env['SANDGLASS_ORG'],
      apiKey: env['SANDGLASS_API_KEY'],
      source: 'SANDGLASS_API_KEY',
      isStored: false,
    }
  const { current, profiles } = await readProfiles(env)
  const name = named ?? current
  const profile = name === undefined ? undefined : profiles[name]
  if (profile && name !== undefined)
    return { ...profile, source: `profile ${name}`, profile: name, isStored: true }
  if (named)
    throw new CliError(
      `There is no profile "${named}".`,
      `${listOf(Object.keys(profiles))} \`sandglass login --profile ${named}\` makes one.`,
    )
  return {
    url: env['SANDGLASS_URL'],
    orgId: env['SANDGLASS_ORG'],
    apiKey: undefined,
    source: 'the credentials file of a local start',
    isStored: true,
  }
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'There are none.' : `There are: ${names.join(', ')}.`
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin
}
