import * as protocol from '@sandglass/protocol'
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { transact } from '../../db/transact.ts'
import { appendEvent } from '../../events/append.ts'
import type { Api } from '../../http/api.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import type { SandboxRouter } from '../sandboxes/sandbox-router.ts'
import { resumptionOf } from './event-id.ts'
import { sendEvents } from './event-stream.ts'
import { idleTimeoutsFor, streamIdleTimeouts } from './idle-timer.ts'
import { readShell } from './read-shell.ts'
import type { Shell } from './shell.ts'
import { Shells } from './shells.ts'

export function serveShells(api: Api, router: SandboxRouter, db: Database, log: Logger): void {
  const shells = new Shells(router.work, (sandbox, shell) => {
    appendExit(db, sandbox, shell).catch(error =>
      log.warn({ sandbox: sandbox.id, error }, 'the end of a shell is missing in the event log'),
    )
  })
  api.closing.addEventListener('abort', () => shells.close())

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

/** Appends that a command has ended. A machine has no part in a transaction, so this follows as soon as the process knows it. */
async function appendExit(db: Database, { id, org_id }: SandboxRow, shell: Shell): Promise<void> {
  await transact(db, tx =>
    appendEvent(tx, {
      orgId: org_id,
      type: 'shell.exited',
      subject: id,
      data: { shellId: shell.id, exitCode: shell.exitCode ?? 0, timedOut: shell.hasTimedOut },
    }),
  )
}
