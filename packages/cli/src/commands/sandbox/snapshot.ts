import { command } from '../../command-definition.ts'
import { CliError } from '../../failures.ts'
import { findByName, findSandboxId } from '../../find-by-name.ts'
import { confirm } from '../../prompt.ts'
import { formatMiB, formatTime } from '../../quantities.ts'
import { sandboxArgument } from '../../sandbox-argument.ts'
import { snapshotsKind } from '../../snapshot-kind.ts'

const snapshotArgument = { syntax: '<snapshot>', description: 'Its name, its id or the beginning of its id.' }

const create = command<{ name?: string; memory?: boolean }>({
  name: 'create',
  summary: 'Save the disk of a sandbox as it is now. The sandbox keeps running.',
  arguments: [sandboxArgument],
  options: [
    { flags: '-n, --name <name>', description: 'A name to find it by.' },
    { flags: '--memory', description: 'Save the memory as well, for shapes that can do this.' },
  ],
  examples: [
    {
      command: 'sandglass sandbox snapshot create ID --name before',
      explanation: 'Before you try something.',
    },
  ],
  async run(context, { args: [text = ''], options }) {
    const sandboxId = await findSandboxId(context, text)
    const snapshot = await (await context.client()).createSandboxSnapshot(
      { sandboxId, body: options },
      { signal: context.signal },
    )
    context.output.done(snapshot, snapshot.id, snapshot.id)
    if (snapshot.status === 'ERROR') throw new CliError(`The snapshot failed: ${snapshot.reason}`)
  },
})

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the snapshots of a sandbox.',
  arguments: [sandboxArgument],
  examples: [{ command: 'sandglass sandbox snapshot list ID', explanation: 'What it can be set back to.' }],
  async run(context, { args: [text = ''] }) {
    const sandboxId = await findSandboxId(context, text)
    const snapshots = await (await context.client()).listSandboxSnapshots(
      { sandboxId },
      { signal: context.signal },
    )
    context.output.list(snapshots, {
      columns: [
        { title: 'ID', value: ({ id }) => id },
        { title: 'NAME', value: ({ name }) => name },
        { title: 'STATUS', value: ({ status }) => status.toLowerCase() },
        { title: 'SIZE', value: ({ sizeMiB }) => formatMiB(sizeMiB), isNumber: true },
        { title: 'CREATED', value: ({ createdAt }) => formatTime(createdAt) },
      ],
      nameOf: ({ id }) => id,
      empty: 'There are no snapshots. `sandglass sandbox snapshot create` makes one.',
    })
  },
})

const restore = command({
  name: 'restore',
  summary: 'Set the disk of a sandbox back to a snapshot. What is newer is lost.',
  arguments: [sandboxArgument, snapshotArgument],
  examples: [
    {
      command: 'sandglass sandbox snapshot restore ID SNAPSHOT --yes',
      explanation: 'As if nothing had happened since.',
    },
  ],
  async run(context, { args: [text = '', name = ''] }) {
    const sandboxId = await findSandboxId(context, text)
    const client = await context.client()
    const { id } = await findByName(name, snapshotsKind(client, context, sandboxId))
    await confirm(context, `Set ${sandboxId} back to ${id}? What is newer is lost.`)
    await client.restoreSandbox({ sandboxId, body: { snapshotId: id } }, { signal: context.signal })
    context.output.done({ id: sandboxId, snapshotId: id }, sandboxId, `${sandboxId} is as it was in ${id}.`)
  },
})

const remove = command({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete a snapshot of a sandbox.',
  arguments: [sandboxArgument, snapshotArgument],
  examples: [
    { command: 'sandglass sandbox snapshot delete ID SNAPSHOT --yes', explanation: 'Free its space.' },
  ],
  async run(context, { args: [text = '', name = ''] }) {
    const sandboxId = await findSandboxId(context, text)
    const client = await context.client()
    const { id } = await findByName(name, snapshotsKind(client, context, sandboxId))
    await confirm(context, `Delete snapshot ${id} of ${sandboxId}?`)
    await client.deleteSandboxSnapshot({ sandboxId, snapshotId: id }, { signal: context.signal })
    context.output.done({ id }, id, `Deleted ${id}.`)
  },
})

export default command({
  name: 'snapshot',
  summary: 'Save the disk of a sandbox, and set it back.',
  commands: [create, list, restore, remove],
})
