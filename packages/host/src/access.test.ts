import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import { MachineError } from '@sandglass/machines/contract'
import type { Guest, GuestConsole } from '@sandglass/machines/local'
import { Caller, Responder } from '@sandglass/rpc'
import { accessMethods } from './access-methods.ts'
import { openThroughHost } from './guest-through-host.ts'
import { machineErrors } from './machine-errors.ts'
import { PassedSockets, SocketPasser } from './passed-sockets.ts'
import { accessHandlers } from './serve-access.ts'
import { engineWith, failing, handleOf } from './test-host.ts'

const screenSize = { width: 640, height: 480 }

/** A worker that has access to machines of several engines, which differ in what they say about them. */
function accessTo(consoles: Readonly<Record<string, GuestConsole | undefined>>) {
  const asked: unknown[] = []
  const connect: Guest<Socket>['connect'] = async socket => {
    throw new MachineError('REFUSED', `the machine's ${socket} socket does not exist`)
  }
  const guest = { isAwake: async () => true, dialPort: undefined, connect } as Partial<
    Guest<Socket>
  > as Guest<Socket>
  const [worker, host] = duplexPair()
  new Responder(host, {
    methods: accessMethods,
    errors: machineErrors,
    handlers: accessHandlers(
      (name, work) => {
        asked.push(name)
        const reach = async () => ({ handle: handleOf(name), screenSize, console: consoles[name] })
        return work(engineWith({ name, reach, access: async () => guest }))
      },
      new SocketPasser(spawn('true')),
    ),
  })
  return { caller: new Caller(worker, { methods: accessMethods, errors: machineErrors }), asked }
}

test('a worker learns from the engine of a machine how the machine is opened', async () => {
  const console = { os: 'windows', guestAgent: true } as const
  const { caller, asked } = accessTo({ local: undefined, qemu: console })
  assert.deepEqual(await caller.call('reach', { handle: handleOf('local') }), { screenSize, hasPorts: false })
  assert.deepEqual(await caller.call('reach', { handle: handleOf('qemu') }), {
    screenSize,
    hasPorts: false,
    console,
  })
  assert.equal(await caller.call('isAwake', { handle: handleOf('qemu') }), true)
  assert.deepEqual(asked, ['local', 'qemu', 'qemu'])
})

test('a machine with a console is opened by its screen, and not by an agent', async () => {
  const { caller } = accessTo({ qemu: { os: 'linux', guestAgent: false } })
  const passed = new PassedSockets()
  await assert.rejects(
    openThroughHost(caller, passed, handleOf('qemu'), failing),
    /the machine's input socket/,
  )
})
