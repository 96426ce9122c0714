import { listCommand } from '../../list-command.ts'
import { formatMiB, formatTime } from '../../quantities.ts'

export default listCommand({
  summary: 'List the images of the organization.',
  options: [{ flags: '--public', description: 'Also those that every organization can use.' }],
  examples: [{ command: 'sandglass images list --public', explanation: 'What sandboxes can start with.' }],
  changesWith: 'image.*',
  fetch: async (client, options: { public?: boolean }, { signal }) =>
    (await client.listMachineImages({ scope: options.public ? 'all' : 'org' }, { signal })).images,
  view: {
    columns: [
      { title: 'ID', value: ({ id }) => id },
      { title: 'NAME', value: ({ name }) => name },
      { title: 'STATUS', value: ({ status }) => status.toLowerCase() },
      { title: 'SHAPE', value: ({ shapeName }) => shapeName },
      { title: 'SIZE', value: ({ sizeMiB }) => formatMiB(sizeMiB), isNumber: true },
      { title: 'CREATED', value: ({ createdAt }) => formatTime(createdAt), isOptional: true },
      {
        title: 'DESCRIPTION',
        value: ({ description, reason }) => reason ?? description ?? '',
        isOptional: true,
      },
    ],
    nameOf: ({ id }) => id,
    empty: 'There are no images. `sandglass images create` saves a sandbox as one.',
  },
})
