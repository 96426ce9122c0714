import type { Socket } from 'node:net'
import type { Death } from '../../contract/machine.ts'
import { ask } from './agent-client.ts'
import type { CgroupLayout } from './cgroups.ts'
import { outOfMemoryKills } from './cgroups.ts'
import type { Guest } from './guest.ts'
import { hasEnded } from './init-process.ts'
import type { Places } from './places.ts'

/** A connection to process 1 of a machine. The kernel closes it when that process ends, whatever ended it. */
export interface Watch {
  readonly died: Promise<Death>
  close(): void
}

export async function watchMachine(guest: Guest, layout: CgroupLayout, group: string): Promise<Watch> {
  const { socket } = await ask(guest, { op: 'watch' }, AbortSignal.timeout(10_000))
  const died = Promise.withResolvers<Death>()
  let closed = false
  let said = ''
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    said = (said + text).slice(-256)
  })
  socket.on('end', () => socket.destroy())
  socket.on('close', () => {
    if (!closed) reasonOf(said, guest.places, layout, group).then(died.resolve, died.reject)
  })
  keepProcessFree(socket)
  return {
    died: died.promise,
    close() {
      closed = true
      socket.destroy()
    },
  }
}

/** A watch alone does not keep a process from ending. */
const keepProcessFree = (socket: Socket) => socket.unref()

async function reasonOf(said: string, places: Places, layout: CgroupLayout, group: string): Promise<Death> {
  if (!(await hasEnded(places, 1500)))
    return { reason: 'the machine runs but no longer answers', orderly: false }
  if (said.includes('"ending"')) return { reason: 'the machine was shut down from inside', orderly: true }
  if ((await outOfMemoryKills(layout, group)) > 0) {
    return { reason: 'the machine used all its memory and its first process was killed', orderly: false }
  }
  return { reason: 'the first process of the machine ended', orderly: false }
}
