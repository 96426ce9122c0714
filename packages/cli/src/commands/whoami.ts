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
    const { url } = await client.credentials()
    const { session: _, ...caller } = await client.getWhoami({}, { signal: context.signal })
    const { kind, id, name, role, organization, expiresAt } = caller
    context.output.record(
      { url, source, ...caller },
      {
        name: organization?.id ?? id,
        fields: [
          ['service', url],
          ['from', source],
          ['organization', organization ? `${organization.name} (${organization.id})` : ''],
          [kinds[kind], name ?? id],
          ['role', role ?? ''],
          ['expires', expiresAt ?? ''],
        ],
      },
    )
  },
})

const kinds = { apiKey: 'key', user: 'user', trialToken: 'trial token', operator: 'operator key' } as const

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
