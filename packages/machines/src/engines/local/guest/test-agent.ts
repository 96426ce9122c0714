import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { connectIn } from '../network/unix-socket.ts'
import { type AgentTimeouts, agentTimeouts, type Guest } from './guest.ts'

/** A machine whose agent is served by the test. */
export async function testAgent(
  t: TestContext,
  serve: (socket: Socket) => void,
  timeouts: Partial<AgentTimeouts> = {},
  isAwake = () => true,
): Promise<Guest> {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, socket => {
    open.add(socket)
    serve(socket.on('error', () => {}))
  })
  await new Promise<void>(resolve => server.listen(join(folder, 'agent'), resolve))
  t.after(async () => {
    for (const socket of open) socket.destroy()
    server.close()
    await rm(folder, { recursive: true })
  })
  return {
    timeouts: { ...agentTimeouts, ...timeouts },
    connect: (name, signal) => connectIn(folder, name, signal),
    isAwake: async () => isAwake(),
    dialPort: undefined,
    assertStorable: async () => {},
    activity: async () => undefined,
    ending: async () => ({ hasEnded: true, ranOutOfMemory: false }),
  }
}
