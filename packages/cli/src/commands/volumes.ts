import { command } from '../command-definition.ts'
import { deleteCommand } from '../delete-command.ts'
import { listCommand } from '../list-command.ts'
import { formatMiB, formatTime, parseSizeMiB } from '../quantities.ts'

const list = listCommand({
  summary: 'List the volumes of the organization.',
  examples: [
    { command: 'sandglass volumes list', explanation: 'How full they are, and which sandboxes have them.' },
  ],
  changesWith: 'volume.*,sandbox.created,sandbox.deleted',
  fetch: (client, _, { signal }) => client.listVolumes({}, { signal }),
  view: {
    columns: [
      { title: 'ID', value: ({ id }) => id },
      { title: 'NAME', value: ({ name }) => name },
      { title: 'STATUS', value: ({ status }) => status.toLowerCase() },
      { title: 'SIZE', value: ({ sizeMiB }) => formatMiB(sizeMiB), isNumber: true },
      { title: 'USED', value: ({ usedMiB }) => formatMiB(usedMiB), isNumber: true },
      {
        title: 'SANDBOXES',
        value: ({ sandboxes }) => sandboxes.map(({ sandboxId }) => sandboxId).join(', '),
      },
      { title: 'CREATED', value: ({ createdAt }) => formatTime(createdAt), isOptional: true },
    ],
    nameOf: ({ id }) => id,
    empty: 'There are no volumes. `sandglass volumes create` makes one.',
  },
})

const create = command<{ size?: number }>({
  name: 'create',
  summary: 'Create an empty volume, which outlives sandboxes.',
  arguments: [{ syntax: '<name>', description: 'Its name, which is unique in the organization.' }],
  options: [
    { flags: '--size <size>', description: 'Such as 512M or 10G; 1G unless given.', parse: parseSizeMiB },
  ],
  examples: [
    { command: 'sandglass volumes create results --size 64M', explanation: 'For what has to be kept.' },
  ],
  async run(context, { args: [name = ''], options: { size = 1024 } }) {
    // Not with the signal: the volume has an id that is worth knowing.
    const volume = await (await context.client()).createVolume({ body: { name, sizeMiB: size } })
    context.output.done(volume, volume.id, volume.id)
  },
})

const remove = deleteCommand({
  summary: 'Delete volumes that no sandbox has, with everything on them.',
  noun: 'volume',
  completes: 'volumes',
  examples: [{ command: 'sandglass volumes delete results --yes', explanation: 'By its name.' }],
  kind: (client, { signal }) => ({
    noun: 'volume',
    plural: 'volumes',
    listedBy: 'sandglass volumes list',
    list: () => client.listVolumes({}, { signal }),
  }),
  remove: (client, volumeId, { signal }) => client.deleteVolume({ volumeId }, { signal }),
})

export default command({
  name: 'volumes',
  aliases: ['volume'],
  summary: 'Folders that outlive sandboxes.',
  commands: [list, create, remove],
})
