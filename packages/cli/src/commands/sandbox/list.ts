import { command } from '../../command-definition.ts'

export default command<{ label?: string[] }>({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the sandboxes of the organization.',
  options: [
    { flags: '-l, --label <name=value>', description: 'Only those with this label.', isRepeatable: true },
  ],
  examples: [{ command: 'sandglass sandbox list', explanation: 'What runs now.' }],
  async run({ client, output, signal }, { options: { label } }) {
    const sandboxes = await Array.fromAsync((await client()).all('listSandboxes', { label }, { signal }))
    output.list(sandboxes, {
      columns: [
        { title: 'ID', value: ({ id }) => id },
        { title: 'STATUS', value: ({ status }) => status },
      ],
      nameOf: ({ id }) => id,
      empty: 'There are no sandboxes. `sandglass sandbox create` makes one.',
    })
  },
})
