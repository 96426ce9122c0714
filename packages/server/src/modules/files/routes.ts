import * as protocol from '@sandglass/protocol'
import type { Api } from '../../http/api.ts'
import { streamOf } from '../../http/body.ts'
import { sendEvents } from '../../http/event-stream.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { SandboxRouter } from '../sandboxes/sandbox-router.ts'
import { sendContent } from './content.ts'
import { copyAll } from './copy-all.ts'
import { withFiles } from './failures.ts'
import { uploadForm } from './upload.ts'
import { sandboxFile } from './wire.ts'

export function serveFiles(api: Api, router: SandboxRouter, outbound: Outbound): void {
  router.serveInside(protocol.copyFilesWithSandbox, async (call, { sandbox, machine }) => {
    const { body, signal, request, record } = call
    return withFiles(signal, async () => {
      const parts = { files: machine.files, outbound, signal }
      await record(sandbox.id)
      return { results: await copyAll(body.files, parts, request.log) }
    })
  })

  router.serveInside(protocol.listSandboxFiles, ({ query, signal }, { machine }) =>
    withFiles(signal, async () => {
      const { path, limit, cursor } = query
      const options = { limit, signal, ...(cursor !== undefined && { after: cursor }) }
      const { entries, next = null } = await machine.files.list(path, options)
      return { files: entries.map(sandboxFile), nextCursor: next }
    }),
  )

  router.serveInside(protocol.statSandboxFile, ({ query, signal }, { machine }) =>
    withFiles(signal, async () => sandboxFile(await machine.files.stat(query.path, { signal }))),
  )

  router.serveInside(protocol.readSandboxFile, ({ query, signal, request, reply }, { machine }) =>
    withFiles(signal, async () =>
      sendContent(request, reply, await machine.files.open(query.path, { signal })),
    ),
  )

  router.serveInside(protocol.writeSandboxFile, ({ query, signal, request, record }, { sandbox, machine }) =>
    withFiles(signal, async () => {
      const { path, mode } = query
      const size = Number(request.headers['content-length'] ?? 0)
      const options = { signal, size, consume: true, ...(mode !== undefined && { mode }) }
      await record(sandbox.id)
      return sandboxFile(await machine.files.write(path, streamOf(request), options))
    }),
  )

  router.serveInside(protocol.uploadSandboxFiles, async (call, { sandbox, machine }) => {
    return withFiles(call.signal, async () => {
      await call.record(sandbox.id)
      return { results: await uploadForm(call.request, machine, call.query.path, call.signal) }
    })
  })

  router.serveInside(protocol.makeSandboxFolder, ({ body, signal, record }, { sandbox, machine }) =>
    withFiles(signal, async () => {
      await record(sandbox.id)
      await machine.files.makeDirectory(body.path, { signal })
    }),
  )

  router.serveInside(protocol.moveSandboxFile, ({ body, signal, record }, { sandbox, machine }) =>
    withFiles(signal, async () => {
      await record(sandbox.id)
      await machine.files.move(body.from, body.to, { overwrite: body.overwrite, signal })
    }),
  )

  router.serveInside(protocol.removeSandboxFile, ({ query, signal, record }, { sandbox, machine }) =>
    withFiles(signal, async () => {
      await record(sandbox.id)
      await machine.files.remove(query.path, { signal })
    }),
  )

  router.serveInside(protocol.watchSandboxFiles, ({ query, signal, reply }, { machine }) =>
    withFiles(signal, async () => {
      const { path, recursive } = query
      const until = AbortSignal.any([signal, api.closing])
      return sendEvents(reply, await machine.files.watch(path, { recursive, signal: until }))
    }),
  )
}
