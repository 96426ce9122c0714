import { deleteCommand } from '../../delete-command.ts'

export default deleteCommand({
  summary: 'Delete sandboxes and all their data.',
  noun: 'sandbox',
  completes: 'sandboxes',
  examples: [
    { command: 'sandglass sandbox delete ID --yes', explanation: 'Without a question, as in a script.' },
  ],
  kind: (client, { signal }) => ({
    noun: 'sandbox',
    plural: 'sandboxes',
    listedBy: 'sandglass sandbox list',
    list: () => client.all('listSandboxes', {}, { signal }),
  }),
  remove: (client, sandboxId, { signal }) => client.deleteSandbox({ sandboxId }, { signal }),
})
