import type { Sandglass } from '@sandglass/client'
import type { Context } from './context.ts'

/** The images that the organization can use: its own and public ones. */
export function imagesKind(client: Sandglass, { signal }: Context) {
  return {
    noun: 'image',
    plural: 'images',
    listedBy: 'sandglass images list --public',
    list: async () => (await client.listMachineImages({ scope: 'all' }, { signal })).images,
  }
}
