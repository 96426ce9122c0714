import { NamespaceDoor } from '../../packages/machines/src/engines/incus/test-cluster/index.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'

/** Opens a door for the tests of a file, and returns its URL. */
export async function openDoor(netns: string, port: number, folder: string): Promise<string> {
  const door = await NamespaceDoor.open(netns, port, folder)
  cleanup.defer(() => door.close())
  return door.url
}
