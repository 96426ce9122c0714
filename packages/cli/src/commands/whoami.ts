import { command } from '../command-definition.ts'
import type { Context } from '../context.ts'
import { readProfiles } from '../profiles.ts'

export default command<{ profiles?: boolean }>({
  name: 'whoami',
  summary: 'Show which service, organization and key are used, and why these.',
  options: [{ flags: '--profiles', description: 'List the profiles instead.' }],
  examples: [
    { command: 'sandglass whoami', explanation: 'The key itself is never shown.' },
    { command: 'sandglass whoami --profiles', explanation: 'What `--profile` accepts.' },
  ],
  async run(context, { options }) {
    if (options.profiles) return listProfiles(context)
    const { source } = await context.connection()
    const client = await context.client()
    const { url, apiKey } = await client.credentials()
    const organization = await client.getOrganization({}, { signal: context.signal })
    const key = await ownKey(context, apiKey)
    const shown = { url, source, organization, key }
    context.output.record(shown, {
      name: organization.id,
      fields: [
        ['service', url],
        ['from', source],
        ['organization', `${organization.name} (${organization.id})`],
        ['plan', organization.plan],
        ['key', key ? `${key.name} (${key.prefix}…)` : ''],
        ['role', key?.role ?? 'viewer or member'],
      ],
    })
  },
})

/** The key that is used, as it is listed. Only admins can list keys. */
async function ownKey({ client, signal }: Context, apiKey: string) {
  const keys = await (await client())
    .listApiKeys({}, { signal })
    .catch((error: Error & { status?: number }) => {
      if (error.status === 403) return []
      throw error
    })
  const { id, name, prefix, role } = keys.find(({ prefix }) => apiKey.startsWith(prefix)) ?? {}
  return id === undefined ? undefined : { id, name, prefix, role }
}

async function listProfiles({ env, output }: Context): Promise<void> {
  const { current, profiles } = await readProfiles(env)
  const items = Object.entries(profiles).map(([name, { url, orgId }]) => ({
    name,
    url,
    orgId,
    current: name === current,
  }))
  output.list(items, {
    columns: [
      { title: 'NAME', value: ({ name, current }) => (current ? `${name} *` : name) },
      { title: 'SERVICE', value: ({ url }) => url },
      { title: 'ORGANIZATION', value: ({ orgId }) => orgId },
    ],
    nameOf: ({ name }) => name,
    empty: 'There are no profiles. `sandglass login` makes one.',
  })
}
