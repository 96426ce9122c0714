import { command } from '../command-definition.ts'
import { formatTime, parseDuration, wholeNumber } from '../quantities.ts'

interface Options {
  readonly since?: number
  readonly operation?: string
  readonly target?: string
  readonly actor?: string
  readonly outcome?: string
  readonly limit?: number
}

export default command<Options>({
  name: 'audit',
  summary: 'List the changes in the organization, with who made them. Newest first.',
  options: [
    {
      flags: '--since <time>',
      description: 'Only those of the last 90s, 10m, 2h or 1d.',
      parse: parseDuration,
    },
    { flags: '--operation <name>', description: 'Only this operation, such as createSandbox.' },
    { flags: '--target <id>', description: 'Only what was done to this.' },
    { flags: '--actor <id>', description: 'Only what this key did.' },
    { flags: '--outcome <outcome>', description: 'done, attempted or the code of an error.' },
    {
      flags: '--limit <number>',
      description: 'How many at most; 100 unless given.',
      parse: wholeNumber(1, 100_000),
    },
  ],
  examples: [
    {
      command: 'sandglass audit --since 1d --operation createSandbox',
      explanation: 'Who created what today.',
    },
  ],
  async run({ client, output, signal }, { options: { since, limit = 100, ...filter } }) {
    const entries = []
    const query = {
      ...filter,
      limit: Math.min(limit, 1000),
      ...(since !== undefined && { since: new Date(Date.now() - since * 1000).toISOString() }),
    }
    for await (const entry of (await client()).all('listAuditLog', query, { signal })) {
      entries.push(entry)
      if (entries.length === limit) break
    }
    output.list(entries, {
      columns: [
        { title: 'WHEN', value: ({ at }) => formatTime(at) },
        { title: 'OPERATION', value: ({ operation }) => operation },
        { title: 'TARGET', value: ({ target }) => target ?? '' },
        { title: 'OUTCOME', value: ({ outcome }) => outcome },
        { title: 'ACTOR', value: ({ actor }) => `${actor.kind} ${actor.id}` },
        { title: 'ADDRESS', value: ({ address }) => address ?? '', isOptional: true },
      ],
      nameOf: ({ id }) => id,
      empty: 'There are no such changes.',
    })
  },
})
