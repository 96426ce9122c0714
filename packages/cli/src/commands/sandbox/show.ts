import { command } from '../../command-definition.ts'
import { findSandboxId } from '../../find-by-name.ts'
import { formatTime } from '../../quantities.ts'
import { sandboxArgument } from '../../sandbox-argument.ts'
import { labelsOf, stateOf } from '../../sandbox-view.ts'

export default command({
  name: 'show',
  summary: 'Show everything about a sandbox.',
  arguments: [sandboxArgument],
  examples: [
    {
      command: 'sandglass sandbox show demo',
      explanation: 'By its name; an id or the beginning of one does as well.',
    },
    { command: 'sandglass sandbox show ID -o json | jq -r .sandbox.status', explanation: 'For a program.' },
  ],
  async run(context, { args: [text = ''] }) {
    const { client, output, signal } = context
    const sandboxId = await findSandboxId(context, text)
    const shown = await (await client()).getSandbox({ sandboxId }, { signal })
    const { sandbox } = shown
    const { lifecycle } = sandbox
    output.record(shown, {
      name: sandbox.id,
      fields: [
        ['id', sandbox.id],
        ['name', sandbox.name],
        ['state', stateOf(sandbox)],
        ['reason', sandbox.reason ?? sandbox.problem?.reason ?? ''],
        ['shape', `${sandbox.shapeName} (${sandbox.shape.os}, ${sandbox.shape.architecture})`],
        ['created', `${sandbox.createdAt} (${formatTime(sandbox.createdAt)})`],
        ['ends', `${sandbox.expiresAt} (${formatTime(sandbox.expiresAt)})`],
        ['then', lifecycle?.onTimeout ?? 'delete'],
        ['when idle', lifecycle?.idleSeconds ? `${lifecycle.onIdle} after ${lifecycle.idleSeconds} s` : ''],
        ['control', sandbox.control],
        ['labels', labelsOf(sandbox)],
        ['project', sandbox.projectId],
      ],
    })
  },
})
