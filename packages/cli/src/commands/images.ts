import { command } from '../command-definition.ts'
import { deleteCommand } from '../delete-command.ts'
import { imagesKind } from '../image-kind.ts'
import build from './images/build.ts'
import create from './images/create.ts'
import exportImage from './images/export.ts'
import importImage from './images/import.ts'
import list from './images/list.ts'

const remove = deleteCommand({
  summary: 'Delete images. Sandboxes that were created from them are not affected.',
  noun: 'image',
  completes: 'images',
  examples: [{ command: 'sandglass images delete IMAGE --yes', explanation: 'Free its space.' }],
  kind: imagesKind,
  remove: (client, imageId, { signal }) => client.deleteMachineImage({ imageId }, { signal }),
})

export default command({
  name: 'images',
  aliases: ['image'],
  summary: 'Disks that sandboxes start with.',
  commands: [list, create, build, exportImage, importImage, remove],
})
