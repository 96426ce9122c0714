import * as protocol from '@sandglass/protocol'
import type { SandboxRouter } from '../sandboxes/sandbox-router.ts'
import { resumptionOf } from './event-id.ts'
import { sendEvents } from './event-stream.ts'
import { idleTimeoutsFor, streamIdleTimeouts } from './idle-timer.ts'
import { readShell } from './read-shell.ts'
import type { Shell } from './shell.ts'
import type { Shells } from './shells.ts'

export function serveShells(router: SandboxRouter, shells: Shells): void {
  router.serveInside(protocol.createSandboxShell, async ({ body, act, signal }, inside) => {
    const { sandbox } = inside
    return await act({
      target: sandbox.id,
      act: async () => {
        const { id } = await shells.start(inside, body, idleTimeoutsFor(body))
        if (signal.aborted) await shells.terminate(sandbox.id, id)
        signal.throwIfAborted()
        return { sessionId: id }
      },
      undo: ({ sessionId }) => shells.terminate(sandbox.id, sessionId),
    })
  })

  router.serveUnnoticed(protocol.listSandboxShells, async (_call, { id }) => shells.list(id).map(listedShell))

  router.serveInside(protocol.streamSandboxShell, async (call, inside) => {
    const { sandbox } = inside
    const { body, reply, request, record, signal } = call
    const { includeExit } = body
    const resumed = resumptionOf(request.headers['last-event-id'])
    if (resumed)
      return sendEvents(reply, shells.find(sandbox.id, resumed.shellId), {
        from: resumed.from,
        includeExit,
        signal,
      })
    await record(sandbox.id)
    const shell = await shells.start(inside, body, streamIdleTimeouts)
    return sendEvents(reply, shell, { includeExit, signal })
  })

  router.serveInside(protocol.attachSandboxShell, async ({ params, reply, request, signal }, { sandbox }) => {
    const shell = shells.find(sandbox.id, params.shellId)
    const resumed = resumptionOf(request.headers['last-event-id'])
    return sendEvents(reply, shell, {
      from: resumed?.shellId === shell.id ? resumed.from : undefined,
      signal,
    })
  })

  router.serveInside(protocol.writeSandboxShell, async ({ params, body }, { sandbox }) => {
    const { data = '', dataBase64 } = body
    const input = dataBase64 === undefined ? Buffer.from(data) : Buffer.from(dataBase64, 'base64')
    shells.find(sandbox.id, params.shellId).write(input)
  })

  router.serveInside(protocol.readSandboxShell, async ({ params }, { sandbox }) =>
    readShell(shells.find(sandbox.id, params.shellId)),
  )

  router.serveInside(protocol.resizeSandboxShell, async ({ params, body }, { sandbox }) => {
    const size = { rows: body.ttyRows, columns: body.ttyCols }
    shells.find(sandbox.id, params.shellId).resize(size)
  })

  router.serveInside(protocol.finishSandboxShell, async ({ params }, { sandbox }) => {
    shells.find(sandbox.id, params.shellId).finish()
  })

  router.serveInside(protocol.terminateSandboxShell, async ({ params, record }, { sandbox }) => {
    await record(sandbox.id)
    await shells.terminate(sandbox.id, params.shellId)
  })
}

function listedShell(shell: Shell): protocol.ListedShell {
  const { id, command, hasTerminal, startedAt, workingDirectory, exitCode, isRunning } = shell
  return {
    id,
    command,
    useTty: hasTerminal,
    startedAt: startedAt.toISOString(),
    workingDirectory: workingDirectory ?? null,
    exitCode: exitCode ?? null,
    isRunning,
  }
}
