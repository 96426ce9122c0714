import { collect } from '../../collect.ts'
import { listCommand } from '../../list-command.ts'
import { sandboxView } from '../../sandbox-view.ts'

interface Options {
  readonly label?: string[]
  readonly status?: 'PENDING' | 'RUNNING' | 'STOPPED' | 'ERROR'
  readonly project?: string
  readonly ended?: boolean
}

export default listCommand({
  summary: 'List the sandboxes of the organization.',
  options: [
    { flags: '-l, --label <name=value>', description: 'Only those with this label.', isRepeatable: true },
    {
      flags: '--status <status>',
      description: 'Only those with this status.',
      choices: ['pending', 'running', 'stopped', 'error'],
    },
    { flags: '--project <id>', description: 'Only those of this project.' },
    { flags: '--ended', description: 'Those that ended recently instead.' },
  ],
  examples: [
    { command: 'sandglass sandbox list', explanation: 'What there is.' },
    {
      command: "sandglass sandbox list --label team=web -o json | jq -r '.[].id'",
      explanation: 'The ids of the sandboxes with a label.',
    },
    { command: 'sandglass sandbox list --ended', explanation: 'What there was, and why it ended.' },
  ],
  changesWith: 'sandbox.*',
  fetch: (client, { label, status, project, ended }: Options, { signal }) =>
    collect(
      client.all(
        'listSandboxes',
        {
          label,
          project,
          ended: ended ? 'true' : 'false',
          ...(status && { status: status.toUpperCase() as NonNullable<Options['status']> }),
        },
        { signal },
      ),
    ),
  view: sandboxView,
})
