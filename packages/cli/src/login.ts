import { text } from 'node:stream/consumers'
import type { Sandglass } from '@sandglass/client'
import type { Context } from './context.ts'
import { CliError, UsageError } from './failures.ts'
import { type Profile, profilesFile, readProfiles, writeProfiles } from './profiles.ts'
import { ask, askSecret } from './prompt.ts'

/** Stores a profile, and makes it the one that is used, once the service accepts its key. */
export async function login(context: Context, fromStdin: boolean): Promise<void> {
  const name = context.options.profile ?? context.env['SANDGLASS_PROFILE'] ?? 'default'
  if (!/^[\w.-]{1,50}$/.test(name))
    throw new UsageError(
      `"${name}" cannot be the name of a profile.`,
      'Use letters, digits, dots, dashes and underscores.',
    )
  const { profiles } = await readProfiles(context.env)
  const profile = await askProfile(context, profiles[name], fromStdin)
  const organization = await check(context, profile)
  // Another login may have been faster while somebody was typing.
  const latest = await readProfiles(context.env)
  await writeProfiles(context.env, { current: name, profiles: { ...latest.profiles, [name]: profile } })
  context.output.done(
    { profile: name, url: profile.url, orgId: profile.orgId },
    name,
    `Logged in to ${organization} at ${profile.url} as profile ${name}.`,
  )
  context.note(`The key is in ${profilesFile(context.env)}, which only you can read.`)
}

async function askProfile(
  context: Context,
  before: Profile | undefined,
  fromStdin: boolean,
): Promise<Profile> {
  const { env, options } = context
  const url = options.url ?? env['SANDGLASS_URL']
  const orgId = options.org ?? env['SANDGLASS_ORG']
  if (fromStdin) {
    if (!url || !orgId)
      throw new UsageError('It is not known which service this key is for.', 'Add --url and --org.')
    return { url: withoutSlash(url), orgId, apiKey: keyFrom(await text(context.stdin)) }
  }
  if (!context.isInteractive)
    throw new CliError(
      'Nobody can be asked for a key here.',
      'Pipe it in, and add --api-key-stdin with --url and --org.',
    )
  const local = before ?? (await localStart())
  const chosen = {
    url: withoutSlash(url ?? (await ask(context, 'Address of the service:', local?.url))),
    orgId: orgId ?? (await ask(context, 'Organization id:', local?.orgId)),
  }
  return { ...chosen, apiKey: keyFrom(await askSecret(context, 'API key (not shown):')) }
}

/** What a service on this machine has written for its owner. */
async function localStart(): Promise<Pick<Profile, 'url' | 'orgId'> | undefined> {
  const { Sandglass } = await import('@sandglass/client')
  return new Sandglass().credentials().catch(() => undefined)
}

function keyFrom(text: string): string {
  const key = text.trim()
  if (key === '')
    throw new CliError('There was no key.', '`sandglass keys create` makes one, with a key of an admin.')
  // A header could not carry it, and the message about that would contain it.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new CliError('This is not an API key: it has characters that no key has.')
  return key
}

function withoutSlash(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(
      `"${url}" is not the address of a service.`,
      'It looks like http://localhost:8080 or https://example.com/sandglass.',
    )
  return url.replace(/\/+$/, '')
}

async function check({ signal }: Context, { url, orgId, apiKey }: Profile): Promise<string> {
  const { Sandglass } = await import('@sandglass/client')
  const client: Sandglass = new Sandglass({ url, orgId, apiKey, retries: 0 })
  const { name } = await client
    .getOrganization({}, { signal })
    .catch((error: Error & { status?: number }) => {
      if (error.status === 401 || error.status === 403 || error.status === 404)
        throw new CliError(
          `${url} does not accept this key for ${orgId}.`,
          'Check the key and the organization. Nothing was stored.',
        )
      throw error
    })
  return name
}
