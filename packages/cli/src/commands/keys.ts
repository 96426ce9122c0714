import { command } from '../command-definition.ts'
import { deleteCommand } from '../delete-command.ts'
import { listCommand } from '../list-command.ts'
import { formatTime, parseDuration } from '../quantities.ts'

const roles = ['viewer', 'member', 'admin', 'owner'] as const

const list = listCommand({
  summary: 'List the API keys of the organization.',
  examples: [{ command: 'sandglass keys list', explanation: 'Who can do what, and when it was last used.' }],
  changesWith: 'key.*',
  fetch: (client, _, { signal }) => client.listApiKeys({}, { signal }),
  view: {
    columns: [
      { title: 'ID', value: ({ id }) => id },
      { title: 'NAME', value: ({ name }) => name },
      { title: 'PREFIX', value: ({ prefix }) => prefix },
      { title: 'ROLE', value: ({ role }) => role },
      { title: 'USED', value: ({ lastUsedAt }) => formatTime(lastUsedAt) || 'never' },
      { title: 'EXPIRES', value: ({ expiresAt }) => formatTime(expiresAt) || 'never' },
      { title: 'CREATED', value: ({ createdAt }) => formatTime(createdAt), isOptional: true },
    ],
    nameOf: ({ id }) => id,
    empty: 'There are no keys.',
  },
})

const create = command<{ role?: (typeof roles)[number]; expires?: number }>({
  name: 'create',
  summary: 'Create an API key, and print it. It is not shown again.',
  arguments: [{ syntax: '<name>', description: 'What it is for.' }],
  options: [
    { flags: '-r, --role <role>', description: 'What it may do; member unless given.', choices: roles },
    { flags: '--expires <time>', description: 'When it stops working, such as 30d.', parse: parseDuration },
  ],
  examples: [
    { command: 'sandglass keys create ci --role member --expires 30d', explanation: 'For a build server.' },
  ],
  async run(context, { args: [name = ''], options: { role, expires } }) {
    const body = { name, ...(role && { role }), ...(expires !== undefined && { expiresInSeconds: expires }) }
    // Not with the signal: a key that nobody has seen would be left.
    const key = await (await context.client()).createApiKey({ body })
    context.output.done(key, key.id, key.apiKey ?? '')
    context.note(`This is the key ${key.name} (${key.id}). It is not shown again.`)
  },
})

const revoke = deleteCommand({
  verb: 'revoke',
  summary: 'Revoke API keys. They stop working within a second.',
  noun: 'key',
  completes: 'keys',
  examples: [
    { command: 'sandglass keys revoke KEY --yes', explanation: 'A key that is not needed any more.' },
  ],
  kind: (client, { signal }) => ({
    noun: 'key',
    plural: 'keys',
    listedBy: 'sandglass keys list',
    list: () => client.listApiKeys({}, { signal }),
  }),
  remove: (client, keyId, { signal }) => client.revokeApiKey({ keyId }, { signal }),
})

export default command({
  name: 'keys',
  aliases: ['key'],
  summary: 'API keys of the organization.',
  commands: [list, create, revoke],
})
